import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { faultOfOld, nodeOf, oldest, ofTheImage, TOO_OLD } from './nodes';
import { programs, root, textOf } from './programs';

const run = promisify(execFile);
const JEST = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/** Short specs of code that leans on functions of Node. */
const SPECS = ['libs/csv', 'libs/environment', 'libs/money', 'libs/standard-webhooks', 'src/platform'];

/** The suite itself runs on the Node of the machine. These show that newer and older releases work. */
it.each([oldest, ofTheImage])('The shortest tests pass on Node %s', async (version) => {
  const node = await nodeOf(version);
  expect((await run(node, ['--version'])).stdout.trim()).toBe(`v${version}`);
  const cache = ['--cacheDirectory', `.local/jest-${version}`];
  const args = [JEST, '--selectProjects', 'unit', '--maxWorkers=1', ...cache];
  const { stderr } = await run(node, [...args, ...SPECS], { timeout: 200_000 });
  expect(stderr).toMatch(/^Tests: +(\d+ skipped, )?\d+ passed, \d+ total$/m);
});

/**
 * Prints the Node that it runs on, and the Node of the programs that it starts. Jest also leaves a result.
 */
const TOOL = `
const child = require('node:child_process').execFileSync('node', ['--version'], { encoding: 'utf8' }).trim();
console.log(require('node:path').basename(__filename), process.version, child);
const result = { success: true, numPassedTests: 1, numFailedTests: 0, numRuntimeErrorTestSuites: 0, testResults: [] };
const file = process.argv.find((word) => word.startsWith('--outputFile='))?.split('=')[1];
if (file) require('node:fs').writeFileSync(file, JSON.stringify(result));
`;
const TOOLS = ['prettier', 'eslint', 'tsc', 'depcruise'];

/** A checkout whose packages are installed, each a tool that prints its Node. */
class Checkout {
  readonly directory = mkdtempSync(join(tmpdir(), 'hongbao-old-node-'));

  constructor(private readonly node: string) {
    const { engines, scripts } = JSON.parse(textOf('package.json')) as Record<string, unknown>;
    for (const path of ['.ci', '.npmrc', 'deploy/node-floor.js', 'src/dev/launcher'])
      cpSync(join(root, path), join(this.directory, path), { recursive: true });
    this.write('package.json', JSON.stringify({ engines, scripts }));
    for (const lock of ['package-lock.json', 'node_modules/.package-lock.json'])
      this.write(lock, JSON.stringify({ packages: {} }));
    for (const tool of TOOLS) this.write(`node_modules/.bin/${tool}`, TOOL);
    this.write('node_modules/jest/bin/jest.js', TOOL);
  }

  write(file: string, text: string): void {
    const path = join(this.directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a command on a machine whose first Node is the old one. */
  run(command: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, PATH: [dirname(this.node), process.env.PATH].join(delimiter) };
    return spawnSync(command, args, { cwd: this.directory, encoding: 'utf8', env });
  }
}

describe(`On a machine that has Node ${TOO_OLD}`, () => {
  const newer = `v${ofTheImage}`;
  let node: string;
  let checkout: Checkout;

  beforeAll(async () => {
    node = await nodeOf(TOO_OLD);
  });
  beforeEach(() => (checkout = new Checkout(node)));
  afterEach(() => rmSync(checkout.directory, { recursive: true, force: true }));

  it('npm test says in a line that it installs the Node of the image, on which it and everything it starts then run', () => {
    const first = checkout.run('npm', 'test', '--silent');
    expect(first).toEqual(
      expect.objectContaining({
        status: 0,
        stdout: `jest.js ${newer} ${newer}\n`,
        stderr: faultOfOld(`: installing Node ${ofTheImage} into .local…`),
      }),
    );
    expect(checkout.run('npm', 'test', '--silent')).toMatchObject({ stdout: first.stdout, stderr: '' });
  });

  it('.ci/run runs all tests and all tools on the Node of the image', () => {
    const { status, stdout } = checkout.run('.ci/run');
    const ran = [...stdout.matchAll(/^(\S+) (v[\d.]+) (v[\d.]+)$/gm)].map(([, ...words]) => words);
    expect(ran).toContainEqual(['jest.js', newer, newer]);
    const lint = readFileSync(join(checkout.directory, '.local', 'lint.txt'), 'utf8');
    for (const tool of TOOLS) expect(lint).toContain(`${tool} ${newer} ${newer}\n`);
    expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, '1 passed, 0 failed']);
  });

  it('a package that differs from the lock file is not run', () => {
    const lock = join('src', 'dev', 'launcher', 'node', 'package-lock.json');
    checkout.write(lock, textOf(lock).replaceAll(/sha512-[^"]+/g, 'sha512-other'));
    const { status, stdout, stderr } = checkout.run('npm', 'test', '--silent');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.trim().split('\n').at(-1)).toMatch(/^node-\S+@\S+ is not the package that \S+ names\.$/);
  });

  it.each([
    ...['main.js', 'worker.js', 'commands/migrate.js', 'commands/verify.js'].map((file) => `dist/${file}`),
    ...[...programs.keys()].map((word) => `hongbao.mjs ${word}`),
  ])('%s ends with a line that names the Node that it needs', (started) => {
    const [file, ...words] = started.split(' ') as [string, ...string[]];
    cpSync(join(root, 'deploy', 'image', 'hongbao.mjs'), join(checkout.directory, 'hongbao.mjs'));
    for (const part of ['dist/node-floor.js', 'dist/package.json', 'dist/start.js'])
      cpSync(join(root, part), join(checkout.directory, part));
    const path = file.startsWith('dist') ? join(root, file) : join(checkout.directory, file);
    const { status, stdout, stderr } = checkout.run('node', path, ...words);
    expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: faultOfOld('.') });
  });
});
