import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { onPath } from '../../src/dev/engines';

const execute = promisify(execFile);
const TOOLS = ['buildah', 'mmdebstrap'];
const LAST_LINES = 30;

/** Returns one line with the tools that this machine lacks; undefined if it has all. */
export function missingTools(): string | undefined {
  const missing = TOOLS.filter((tool) => onPath(tool) === undefined);
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return `The test of the image runs on Linux as root only, with ${TOOLS.join(' and ')}.`;
  if (missing.length === 0) return undefined;
  return `The test of the image needs ${missing.join(' and ')}: apt-get install ${TOOLS.join(' ')}`;
}

/** Runs a command to its end. @throws Error with the end of its output */
export async function run(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await execute(command, args, { maxBuffer: Infinity })).stdout;
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout: string; stderr: string };
    const said = `${stdout}${stderr}`.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`${[command, ...args].join(' ')} failed:\n${said}`, { cause });
  }
}

/** Reads the base image of a Dockerfile's last stage: the default of its argument. */
export function baseOf(dockerfile: string): { name: string; nodeVersion: string; distribution: string } {
  const [, name, nodeVersion, distribution] =
    /^ARG BASE=(node:(\d+\.\d+\.\d+)-(\w+)-slim)$/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  if (!name || !nodeVersion || !distribution) throw new Error(`${dockerfile} names no base.`);
  return { name, nodeVersion, distribution };
}
