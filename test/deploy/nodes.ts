import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { textOf } from './programs';

const run = promisify(execFile);

export const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };

/** The last release of the line before the oldest that is supported. */
export const TOO_OLD = '20.20.2';
export const oldest = /^>=(\d+\.\d+\.\d+)$/.exec(engines.node)![1]!;
export const ofTheImage = /^ARG BASE=node:([\d.]+)-/m.exec(textOf('deploy', 'image', 'Dockerfile'))![1]!;

/** The message of a program about it, and the reaction of the launcher. */
export const faultOfOld = (end: string): string =>
  `This needs Node ${oldest.replace(/\.0$/, '')} or newer, and here is Node ${TOO_OLD}${end}\n`;

/** Node comes as a package for each platform. */
export async function nodeOf(version: string): Promise<string> {
  const directory = resolve('.local', 'engines', `node-package-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(directory, 'node_modules', name, 'bin', 'node');
  if (existsSync(node)) return node;
  mkdirSync(directory, { recursive: true });
  const options = ['--prefix', directory, '--ignore-scripts', '--no-audit'];
  await run('npm', ['install', ...options, `${name}@${version}`]);
  return node;
}
