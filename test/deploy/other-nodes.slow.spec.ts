import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root, textOf } from './programs';

const run = promisify(execFile);
const JEST = join(root, 'node_modules', 'jest', 'bin', 'jest.js');

const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
const oldestOf = (major: number) => new RegExp(`\\b${major}\\.\\d+\\.\\d+`).exec(engines.node)![0];
const ofTheImage = /^ARG BASE=node:([\d.]+)-/m.exec(textOf('deploy', 'image', 'Dockerfile'))![1]!;

/** Node comes as a package for each platform. */
async function nodeOf(version: string): Promise<string> {
  const directory = resolve('.local', 'engines', `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(directory, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(directory, { recursive: true });
  await run('npm', [
    'install',
    '--prefix',
    directory,
    '--ignore-scripts',
    '--no-audit',
    `${name}@${version}`,
  ]);
  return node;
}

/** Short specs of code that leans on functions of Node. */
const SPECS = ['libs/csv', 'libs/environment', 'libs/money', 'libs/standard-webhooks', 'src/platform'];

/** The suite itself runs on the Node of the machine. These show that no newer or older one is shut out. */
it.each([oldestOf(22), ofTheImage])('The shortest tests pass on Node %s', async (version) => {
  const node = await nodeOf(version);
  expect((await run(node, ['--version'])).stdout.trim()).toBe(`v${version}`);
  const args = [
    JEST,
    '--selectProjects',
    'unit',
    '--maxWorkers=1',
    '--cacheDirectory',
    `.local/jest-${version}`,
  ];
  const { stderr } = await run(node, [...args, ...SPECS], { timeout: 200_000 });
  expect(stderr).toMatch(/^Tests: +(\d+ skipped, )?\d+ passed, \d+ total$/m);
});
