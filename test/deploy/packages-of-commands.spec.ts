import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from './programs';

const PACKAGES = {
  'node_modules/typeorm': { version: '1.1.1' },
  'node_modules/jest': { version: '30.5.2', dev: true },
};

/** A checkout whose npm prints its arguments and fails. */
let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'hongbao-packages-'));
  for (const path of ['package.json', 'deploy/node-floor.js', 'src/dev/launcher'])
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  write('package-lock.json', JSON.stringify({ packages: PACKAGES }));
  write('bin/npm', '#!/bin/sh\necho "asked to $*"\nexit 1\n');
  chmodSync(join(checkout, 'bin', 'npm'), 0o755);
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(checkout, file)), { recursive: true });
  writeFileSync(join(checkout, file), text);
}

function installed(names: readonly (keyof typeof PACKAGES)[]): void {
  const packages = Object.fromEntries(names.map((name) => [name, PACKAGES[name]]));
  write('node_modules/.package-lock.json', JSON.stringify({ packages }));
}

/** The arguments that a command passes to npm; undefined if it finds the packages that it needs. */
function askedOf(command: string): string | undefined {
  const env = { ...process.env, PATH: [join(checkout, 'bin'), process.env.PATH].join(delimiter) };
  const launcher = join(checkout, 'src', 'dev', 'launcher', 'run.mjs');
  const { stderr } = spawnSync(process.execPath, [launcher, command], { encoding: 'utf8', env });
  return /^asked to (.*)$/m.exec(stderr)?.[1];
}

const RUNS = ['start', 'demo', 'admin', 'verify', 'token'];
const DEVELOPS = ['test', 'bench', 'faults', 'lint', 'client'];

describe('on a checkout without packages', () => {
  it.each(RUNS)('%s installs all packages except those for development', (command) => {
    expect(askedOf(command)).toBe('ci --omit=dev --include=optional --no-audit --no-fund');
  });

  it.each(DEVELOPS)('%s installs all', (command) => {
    expect(askedOf(command)).toBe('ci --include=dev --include=optional --no-audit --no-fund');
  });
});

describe('on a checkout that has all packages except those for development', () => {
  beforeEach(() => installed(['node_modules/typeorm']));

  it.each(RUNS)('%s installs no packages', (command) => {
    expect(askedOf(command)).toBeUndefined();
  });

  it.each(DEVELOPS)('%s installs all', (command) => {
    expect(askedOf(command)).toMatch(/^ci --include=dev /);
  });
});

it('on a development checkout with outdated packages, start does not remove Jest', () => {
  installed(['node_modules/jest']);
  write('node_modules/jest/bin/jest.js', '');
  expect(askedOf('start')).toMatch(/^ci --include=dev /);
});
