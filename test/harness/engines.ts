import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Engine, SteppedClock, startRedis } from '../../src/dev/engines';
// The imports name these two files: through their index, every test would load the whole platform.
import { APP_ROLE } from '../../src/platform/postgres/app-role';
import { asRedisAppUser, redisAppUser } from '../../src/platform/redis/app-user';

const POLL_MIN_MS = 10;
const POLL_MAX_MS = 100;

/** A database that is migrated once per run. Every test database is a copy of it. */
export const TEMPLATE_DATABASE = 'migrated';

export interface TestDatabase {
  readonly url: string;
  readonly appUrl: string;
  drop(): Promise<void>;
}

/**
 * Creates a migrated database in the one Postgres server of the run.
 * @param template a database without connections
 */
export async function createDatabase(template = TEMPLATE_DATABASE): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying its files is quick, and possible because no session is connected to the template.
  await onServer(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: databaseUrl(name),
    appUrl: databaseUrl(name, APP_ROLE),
    drop: () => onServer(`drop database if exists ${name} with (force)`),
  };
}

export function databaseUrl(name: string, role?: string): string {
  const url = new URL(serverUrl());
  url.pathname = name;
  if (role !== undefined) url.username = role;
  return url.href;
}

/** Runs one statement in the server's own database; the default server is that of the run. */
export async function onServer(sql: string, url = serverUrl()): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const REDIS_PASSWORD = 'for-tests';

export function startTestRedis(
  options: { appendOnly?: boolean; dataDir?: string; clock?: SteppedClock } = {},
): Promise<Engine> {
  const localDir = process.env.LOCAL_DIR || '.local';
  return startRedis({ localDir, users: [redisAppUser(REDIS_PASSWORD)], ...options });
}

/** Returns a clock for engines that tests can set; otherwise prints why there is none, and tests are skipped. */
export function steppedClock(): Promise<SteppedClock | undefined> {
  return SteppedClock.make({ localDir: process.env.LOCAL_DIR || '.local' }).catch((error: Error) => {
    process.stderr.write(`Skipped: ${error.message}\n`);
    return undefined;
  });
}

export const redisAppUrl = (url: string): string => asRedisAppUser(url, REDIS_PASSWORD);

/**
 * Polls until the condition returns a truthy value; a condition that throws does not hold yet. The longer
 * the wait, the rarer the polls, because other tests need the processor.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 120_000, what }: { timeoutMs?: number; what: string },
): Promise<T> {
  const start = performance.now();
  const waitedMs = () => performance.now() - start;
  let cause: unknown;
  while (waitedMs() < timeoutMs) {
    try {
      const value = await condition();
      if (value) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await pause(Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, waitedMs() / 10)));
  }
  throw new Error(`Waited ${timeoutMs} ms in vain for ${what}.`, { cause });
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (url === undefined)
    throw new Error('TEST_DATABASE_URL is not set: Jest starts the server before all tests.');
  return url;
}
