// Packs what npm publishes: `npm run pack -- [--into DIRECTORY] [--repository URL]`. The packages
// have no dependencies. Their names, version and contents come from this checkout alone.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const CLIENT = path.join(ROOT, 'libs', 'client');
const CONFORMANCE = path.join(ROOT, 'src', 'dev', 'conformance');
const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPES = [
  ...['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--strict', '--skipLibCheck'],
  ...['--target', 'es2023', '--module', 'node20', '--types', 'node', '--rootDir', CLIENT],
];
const BUNDLED = { bundle: true, target: 'es2022', logLevel: 'warning' };
const { version, license, engines } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const PROGRAM = { ...BUNDLED, platform: 'node', banner: { js: '#!/usr/bin/env node' } };

async function main() {
  const { values } = parseArgs({
    options: {
      into: { type: 'string', default: path.join(ROOT, '.local', 'release') },
      repository: { type: 'string' },
    },
  });
  const target = path.resolve(values.into);
  fs.mkdirSync(target, { recursive: true });
  for (const { readme, write, ...own } of [CLIENT_PACKAGE, CONFORMANCE_PACKAGE]) {
    const draft = fs.mkdtempSync(path.join(os.tmpdir(), 'hongbao-package-'));
    try {
      await write(draft);
      const manifest = JSON.stringify({ ...own, ...commonTo(values.repository) }, null, 2);
      fs.writeFileSync(path.join(draft, 'package.json'), manifest);
      fs.copyFileSync(readme, path.join(draft, 'README.md'));
      fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(draft, 'LICENSE'));
      const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: draft });
      process.stdout.write(`Packed ${path.join(target, packed.toString().trim())}.\n`);
    } finally {
      fs.rmSync(draft, { recursive: true });
    }
  }
}

const types = './types/index.d.ts';

const CLIENT_PACKAGE = {
  name: '@hongbao/client',
  description: 'A client of the API of Hongbao, with its gateway, its events and its webhooks',
  main: './index.cjs',
  types,
  // Node has one copy, by `import` and by `require`, so that `instanceof ApiProblem` is true for both.
  exports: { '.': { types, node: './index.cjs', default: './index.mjs' } },
  bin: { 'hongbao-admin': './hongbao-admin.cjs' },
  sideEffects: false,
  readme: path.join(CLIENT, 'README.md'),
  async write(draft) {
    const index = { ...BUNDLED, entryPoints: [path.join(CLIENT, 'index.ts')] };
    await build({ ...index, format: 'cjs', platform: 'node', outfile: path.join(draft, 'index.cjs') });
    await build({ ...index, format: 'esm', outfile: path.join(draft, 'index.mjs') });
    await build({
      ...PROGRAM,
      format: 'cjs',
      ...upToDate((file) => `require('${file}')`, './src/commands/admin.ts'),
      outfile: path.join(draft, 'hongbao-admin.cjs'),
    });
    const typesOf = [TSC, path.join(CLIENT, 'index.ts'), '--outDir', path.join(draft, 'types')];
    execFileSync(process.execPath, [...typesOf, ...TYPES], { cwd: ROOT });
  },
};

/** It has the name of its command, so that `npx` finds it without an installation. */
const CONFORMANCE_PACKAGE = {
  name: 'hongbao-conformance',
  description: 'Tries a receiver of payouts as Hongbao will call it',
  bin: { 'hongbao-conformance': './hongbao-conformance.mjs' },
  readme: path.join(CONFORMANCE, 'README.md'),
  write: (draft) =>
    build({
      ...PROGRAM,
      format: 'esm',
      ...upToDate((file) => `await import('${file}')`, './src/dev/conformance/bin.mjs'),
      outfile: path.join(draft, 'hongbao-conformance.mjs'),
    }),
};

/** A program whose first act is to look at the Node that it runs on. */
function upToDate(load, file) {
  const contents = `import { demandNode } from './deploy/node-floor.js';
    demandNode(${JSON.stringify(engines)});
    ${load(file)};`;
  return { stdin: { contents, resolveDir: ROOT } };
}

/** npm compares the repository with the one that a package is published from. */
function commonTo(repository) {
  return {
    version,
    license,
    engines,
    ...(repository && { repository: { type: 'git', url: `git+${repository}.git` } }),
  };
}

await main();
