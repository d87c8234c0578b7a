// `node deploy/compile.mjs`, the first third of `npm run build`: compiles every module into dist,
// beside the files that it reads. SWC checks no types: `npm run lint` does.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';
import swc from './swc.js';

process.chdir(path.join(path.dirname(fileURLToPath(import.meta.url)), '..'));

const DIST = 'dist';
/** The image is built without tests. */
const DIRECTORIES = ['src', 'libs', 'migrations', 'test'].filter(existsSync);
const PAGES = path.join('src', 'web', '/');
const OPTIONS = { ...swc.swcOptions(swc.TYPESCRIPT), inlineSourcesContent: false };

function compile(file) {
  const target = path.join(DIST, file.replace(/\.ts$/, '.js'));
  const sourceFileName = path.relative(path.dirname(target), file);
  const { code, map } = transformFileSync(file, { ...OPTIONS, sourceFileName });
  writeFileSync(target, `${code}//# sourceMappingURL=${path.basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
}

rmSync(DIST, { recursive: true, force: true });
for (const directory of DIRECTORIES)
  for (const name of readdirSync(directory, { recursive: true })) {
    const file = path.join(directory, name);
    if (file.startsWith(PAGES) || file.endsWith('.spec.ts')) continue;
    mkdirSync(path.join(DIST, path.dirname(file)), { recursive: true });
    if (file.endsWith('.ts')) compile(file);
    else if (/\.(lua|sql|json)$/.test(file)) copyFileSync(file, path.join(DIST, file));
  }
copyFileSync('package.json', path.join(DIST, 'package.json'));
