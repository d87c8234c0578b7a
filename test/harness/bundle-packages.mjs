// `node test/harness/bundle-packages.mjs DIRECTORY PACKAGE[,PACKAGE…]…`: writes the packages of each
// group into one file, because every spec file loads its packages anew, and loading 1,700 files took
// two seconds.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packaged, theirs } from '../../deploy/packaged.mjs';

const [, , directory, ...groups] = process.argv;
const draft = `${directory}-${process.pid}`;
/** A package that can only be imported, not required. */
const IMPORTED = '@actions/workflow-parser';

const packages = {
  name: 'packages',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }) => ({
      contents: theirs(await readFile(file, 'utf8')),
    })),
};

async function bundle(names, outfile) {
  await build({
    ...packaged,
    stdin: {
      contents: names.map((name) => `exports['${name}'] = () => require('${name}');`).join('\n'),
      resolveDir: process.cwd(),
    },
    outfile,
    alias: { ...packaged.alias, [IMPORTED]: fileURLToPath(import.meta.resolve(IMPORTED)) },
    minify: true,
    plugins: [packages],
  });
  for (const name of names) {
    const file = path.join(draft, `${name}.js`);
    await mkdir(path.dirname(file), { recursive: true });
    const ofName = path.relative(path.dirname(file), outfile);
    await writeFile(file, `module.exports = require('./${ofName}')['${name}']();\n`);
  }
}

await Promise.all(groups.map((group, i) => bundle(group.split(','), path.join(draft, `bundle-${i}.js`))));
await rm(directory, { recursive: true, force: true });
// Another run may have put the same files there in the meantime.
await rename(draft, directory).catch(() => rm(draft, { recursive: true }));
