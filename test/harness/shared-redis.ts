import type { Run } from './global-setup';
import { PLACES_VARIABLE, type RedisKind, startSystem } from './redis-place';

interface Shared {
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** The settings that Jest passes to the setup of a project. */
export interface JestConfig extends Run {
  readonly maxWorkers: number;
}

declare global {
  var sharedRedis: Shared[] | undefined;
}

/** Starts a cluster, or a master behind Sentinel, for each Jest worker. */
export async function startShared(
  kind: Exclude<RedisKind, 'one server'>,
  { maxWorkers }: JestConfig,
): Promise<void> {
  const started: Shared[] = await Promise.all(Array.from({ length: maxWorkers }, () => startSystem(kind)));
  (globalThis.sharedRedis ??= []).push(...started);
  process.env[PLACES_VARIABLE[kind]] = JSON.stringify(started.map(({ env }) => env));
}

export async function stopShared(): Promise<void> {
  await Promise.all((globalThis.sharedRedis ?? []).map((shared) => shared.stop()));
  globalThis.sharedRedis = undefined;
}
