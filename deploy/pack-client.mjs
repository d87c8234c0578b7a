// Packs `@hongbao/client`: `npm run pack:client -- [--into DIRECTORY] [--repository URL]`. The
// package has no dependencies. Its name, version and contents come from this checkout alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { helps } from '../src/dev/launcher/usage.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const CLIENT = path.join(ROOT, 'libs', 'client');
const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPES = [
  ...['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--strict', '--skipLibCheck'],
  ...['--target', 'es2023', '--module', 'node20', '--types', 'node', '--rootDir', CLIENT],
];

async function main() {
  if (helps('pack:client', process.argv.slice(2))) return;
  const { values } = parseArgs({
    options: {
      into: { type: 'string', default: path.join(ROOT, '.local', 'release') },
      repository: { type: 'string' },
    },
  });
  const target = path.resolve(values.into);
  fs.mkdirSync(target, { recursive: true });
  const draft = fs.mkdtempSync(path.join(os.tmpdir(), 'hongbao-client-'));
  try {
    await bundle(draft);
    execFileSync(process.execPath, [
      TSC,
      path.join(CLIENT, 'index.ts'),
      '--outDir',
      path.join(draft, 'types'),
      ...TYPES,
    ]);
    fs.writeFileSync(path.join(draft, 'package.json'), JSON.stringify(manifest(values.repository), null, 2));
    fs.copyFileSync(path.join(CLIENT, 'README.md'), path.join(draft, 'README.md'));
    fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(draft, 'LICENSE'));
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: draft });
    process.stdout.write(`Packed ${path.join(target, packed.toString().trim())}.\n`);
  } finally {
    fs.rmSync(draft, { recursive: true });
  }
}

async function bundle(draft) {
  const { build } = await import('esbuild');
  const entry = { bundle: true, target: 'es2022', logLevel: 'warning' };
  const index = { ...entry, entryPoints: [path.join(CLIENT, 'index.ts')] };
  await Promise.all([
    build({ ...index, format: 'cjs', platform: 'node', outfile: path.join(draft, 'index.cjs') }),
    build({ ...index, format: 'esm', outfile: path.join(draft, 'index.mjs') }),
    build({
      ...entry,
      format: 'cjs',
      platform: 'node',
      banner: { js: '#!/usr/bin/env node' },
      entryPoints: [path.join(ROOT, 'src', 'commands', 'admin.ts')],
      outfile: path.join(draft, 'hongbao-admin.cjs'),
    }),
  ]);
}

/** npm compares the repository with the one that a package is published from. */
function manifest(repository) {
  const { version, license, engines } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const types = './types/index.d.ts';
  return {
    name: '@hongbao/client',
    version,
    description: 'A client of the API of Hongbao, with its gateway and its events',
    license,
    engines,
    ...(repository && { repository: { type: 'git', url: `git+${repository}.git` } }),
    main: './index.cjs',
    types,
    // Node has one copy, by `import` and by `require`, so that `instanceof ApiProblem` is true for both.
    exports: { '.': { types, node: './index.cjs', default: './index.mjs' } },
    bin: { 'hongbao-admin': './hongbao-admin.cjs' },
    sideEffects: false,
  };
}

await main();
