// `node test/harness/bundle-packages.mjs DIRECTORY PACKAGE…`: writes packages into one file,
// because every spec file loads its packages anew, and loading 1,700 files took two seconds.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packaged, theirs } from '../../deploy/packaged.mjs';

const [, , directory, ...names] = process.argv;
const draft = `${directory}-${process.pid}`;
/** A package that can only be imported, not required. */
const IMPORTED = '@actions/workflow-parser';

await build({
  ...packaged,
  stdin: {
    contents: names.map((name) => `exports['${name}'] = () => require('${name}');`).join('\n'),
    resolveDir: process.cwd(),
  },
  outfile: path.join(draft, 'packages.js'),
  alias: { ...packaged.alias, [IMPORTED]: fileURLToPath(import.meta.resolve(IMPORTED)) },
  minifyWhitespace: true,
  plugins: [
    {
      name: 'packages',
      setup: ({ onLoad }) =>
        onLoad({ filter: /\.[cm]?js$/ }, async ({ path: file }) => ({
          contents: theirs(await readFile(file, 'utf8')),
        })),
    },
  ],
});
for (const name of names) {
  const file = path.join(draft, `${name}.js`);
  await mkdir(path.dirname(file), { recursive: true });
  const bundle = path.relative(path.dirname(file), path.join(draft, 'packages.js'));
  await writeFile(file, `module.exports = require('./${bundle}')['${name}']();\n`);
}
await rm(directory, { recursive: true, force: true });
// Another run may have put the same files there in the meantime.
await rename(draft, directory).catch(() => rm(draft, { recursive: true }));
