import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Servers } from '../../libs/redis-scripts';
import { RedisMemory } from '../../src/core/dispenser';
import { Metrics } from '../../src/platform/telemetry';
import { RedisServer } from '../faults/engines';
import { waitFor } from '../harness/engines';

/** Space for only a part of the next command. */
const BYTES_LEFT = 20;

let directory: string;
let server: RedisServer;
let redis: Redis;
let room: RedisMemory;
let errors: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-full-disk-'));
  server = new RedisServer(directory);
  await server.start();
  await server.rewriteLog();
  redis = new Redis(server.url);
  await redis.set('before', '1');
  room = new RedisMemory(redis, Servers.behind(redis), new Metrics());
  errors = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  jest.spyOn(Logger.prototype, 'error').mockImplementation((line: unknown) => void errors.push(String(line)));
});

afterEach(async () => {
  redis.disconnect();
  server.monitor.detach();
  await server.retire();
  rmSync(directory, { recursive: true, force: true });
  jest.restoreAllMocks();
});

/** Tests nothing on a host where no disk can be filled. */
const test = (name: string, run: () => Promise<void>) =>
  it(name, async () => server.hasDisk && (await run()));

async function fillAndMakeRoom(): Promise<void> {
  server.fillDisk(BYTES_LEFT);
  await redis.set('cut off', '1').catch(() => undefined);
  await looksUntil(true);
  server.makeRoom();
  await looksUntil(false);
  await redis.set('after', '1');
}

async function looksUntil(refuses: boolean): Promise<void> {
  const looked = async () => {
    await room.measureRooms();
    return room.refusesWrites === refuses;
  };
  await waitFor(looked, { what: `a Redis that ${refuses ? 'refuses' : 'takes'} writes` });
}

describe('a Redis whose disk was full', () => {
  test('is reported once, in an error that asks for BGREWRITEAOF, when it has room again', async () => {
    await fillAndMakeRoom();
    expect(errors).toEqual([expect.stringMatching(/BGREWRITEAOF/)]);
    await room.measureRooms();
    expect(errors).toHaveLength(1);
  });

  test('starts with all its data after its append-only file was rewritten', async () => {
    await fillAndMakeRoom();
    await server.rewriteLog();
    await server.kill();
    await server.start();
    const keys = await server.use((client) => client.keys('*'));
    expect(keys).toEqual(expect.arrayContaining(['before', 'cut off', 'after']));
  });
});
