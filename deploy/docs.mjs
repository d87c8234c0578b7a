// Builds the site of docs/: `npm run docs -- [--source URL] [--base PATH]`. Its generator has 125
// packages, which nobody else needs. They have a lock file of their own, and are installed when they
// are first used.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const DOCS = path.join(ROOT, 'docs');
const PACKAGES = path.join(ROOT, '.local', 'engines', 'vitepress');

function main() {
  const { values } = parseArgs({
    options: { source: { type: 'string' }, base: { type: 'string', default: '/' } },
  });
  install();
  const vitepress = path.join(PACKAGES, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  execFileSync(process.execPath, [vitepress, 'build', DOCS], {
    stdio: 'inherit',
    env: { ...process.env, SOURCE_URL: values.source, SITE_BASE: values.base },
  });
  process.stdout.write('The site is in .local/site.\n');
}

/** A copy of the lock file is written at the end, so it says what is installed. */
function install() {
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) =>
    path.join(DOCS, '.vitepress', name),
  );
  const installed = path.join(PACKAGES, 'installed-lock.json');
  if (fs.existsSync(installed) && fs.readFileSync(installed).equals(fs.readFileSync(lock))) return;
  fs.mkdirSync(PACKAGES, { recursive: true });
  for (const file of [manifest, lock]) fs.copyFileSync(file, path.join(PACKAGES, path.basename(file)));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: PACKAGES,
    stdio: 'inherit',
  });
  fs.copyFileSync(lock, installed);
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
