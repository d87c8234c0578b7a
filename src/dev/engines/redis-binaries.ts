import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type DistributedProgram,
  hasPackages,
  onPath,
  unpackedProgram,
  unpackPackage,
} from './debian-package';
import { fillOnce } from './directory';

const run = promisify(execFile);
const SERVERS = ['redis-server', 'valkey-server'];

export interface RedisBinary extends DistributedProgram {
  readonly engine: string;
}

/**
 * Returns an installed server, or else the distribution's own package, unpacked below `localDir`.
 *
 * @throws Error with one line when neither is available
 */
export async function redisBinary(
  localDir: string,
  report: (line: string) => void = () => undefined,
): Promise<RedisBinary> {
  const command = SERVERS.map(onPath).find((path) => path !== undefined);
  if (command !== undefined) return { command, env: process.env, engine: command };
  const unpacked = await unpackedRedis(join(localDir, 'engines', 'redis'), report);
  if (unpacked !== undefined) return unpacked;
  throw new Error('No Redis here: install the package redis-server (or valkey-server), or set REDIS_URL.');
}

async function unpackedRedis(root: string, report: (line: string) => void): Promise<RedisBinary | undefined> {
  if (!hasPackages()) return undefined;
  if (!existsSync(root)) {
    report('Fetching Redis from the distribution (unpacked privately, nothing is installed)…');
    const fetched = await fillOnce(root, (draft) => unpackPackage(draft, 'redis-server')).then(
      () => true,
      () => false,
    );
    if (!fetched) return undefined;
  }
  const binary = unpackedProgram(root, 'usr/bin/redis-server');
  await run(binary.command, ['--version'], { env: binary.env });
  return { ...binary, engine: 'Redis of the distribution' };
}
