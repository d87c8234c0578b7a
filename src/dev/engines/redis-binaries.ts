import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type DistributedProgram,
  hasPackages,
  onPath,
  unpackedPackage,
  unpackedProgram,
} from './debian-package';

const run = promisify(execFile);
const SERVERS = ['redis-server', 'valkey-server'];
const NAME = 'redis';

export interface RedisBinary extends DistributedProgram {
  readonly engine: string;
}

/**
 * Returns an installed server, or the one in the package, unpacked below `localDir`.
 * @throws Error with one line when neither is available
 */
export async function redisBinary(
  localDir: string,
  report: (line: string) => void = () => undefined,
): Promise<RedisBinary> {
  const command = SERVERS.map(onPath).find((path) => path !== undefined);
  if (command !== undefined) return { command, env: process.env, engine: command };
  if (hasPackages() && !existsSync(join(localDir, 'engines', NAME)))
    report('Fetching Redis from the distribution (unpacked privately, nothing is installed)…');
  const root = await unpackedPackage(localDir, 'redis-server', NAME);
  if (root === undefined)
    throw new Error('No Redis here: install the package redis-server (or valkey-server), or set REDIS_URL.');
  const binary = unpackedProgram(root, 'usr/bin/redis-server');
  await run(binary.command, ['--version'], { env: binary.env });
  return { ...binary, engine: 'Redis of the distribution' };
}
