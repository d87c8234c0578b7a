import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { call, RETRY_AFTER_MS, tokenOf } from './api-call';
import type { Kind, Scene } from './kind';

/** Activities per partition: the default of PARTITION_ACTIVITIES. */
const ACTIVITIES_EACH = 10_000;

/** Longer than a process waits for a lock, and than a busy machine needs for a few requests. */
const KEPT_FOR_MS = 10_000;

/** Makes the activities of this round the first in a new partition. */
async function beginPartition({ system }: Scene): Promise<void> {
  await system.postgres.sql(
    `select setval('activity_id_seq', (last_value / ${ACTIVITIES_EACH} + 1) * ${ACTIVITIES_EACH} - 1) from activity_id_seq`,
  );
}

/** Locks every older partition, as VACUUM FULL does, until a small rain has succeeded despite that. */
async function keepOldPartitions(scene: Scene): Promise<void> {
  const client = new Client({ connectionString: scene.system.postgres.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const names = await olderThan(client, BigInt(scene.activityId) / BigInt(ACTIVITIES_EACH));
    await client.query('begin');
    await client.query(`lock table ${names.join()} in access exclusive mode`);
    scene.hit(`${names.length} tables`);
    await untilUnhindered(scene);
  } finally {
    await client.end();
  }
}

async function olderThan(client: Client, place: bigint): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent in ('packet'::regclass, 'claim'::regclass, 'transfer_credit'::regclass)
        and substring(relname from '\\d+$')::bigint / ${ACTIVITIES_EACH} < $1`,
    [place],
  );
  return rows.map(({ name }) => name);
}

async function untilUnhindered(scene: Scene): Promise<void> {
  const until = performance.now() + KEPT_FOR_MS;
  for (;;) {
    try {
      return await smallRain(scene);
    } catch (cause) {
      if (performance.now() > until)
        throw new Error(`A rain waits for old partitions that are locked: ${String(cause)}`, { cause });
      await pause(RETRY_AFTER_MS);
    }
  }
}

/** @throws Error if an answer differs */
async function smallRain({ system, chance }: Scene): Promise<void> {
  const key = randomUUID();
  const [operator, user] = [tokenOf('operator', 'operator'), `passer-by-${key}`];
  const { url } = chance.pick(system.apis);
  const send = async (token: string, method: string, path: string, body?: object) => {
    const answer = await call(url, token, method, path, {
      body,
      key: method === 'POST' ? randomUUID() : undefined,
    });
    if (answer.status > 201) throw new Error(`${method} ${path} was answered ${answer.status}`);
    return answer.body;
  };
  await send(operator, 'POST', `/v1/wallets/sponsor-${key}/deposits`, { amount: '1.00' });
  const { id } = await send(operator, 'POST', '/v1/activities', {
    name: 'Unhindered',
    sponsorId: `sponsor-${key}`,
    totalAmount: '1.00',
    packetCount: 1,
    split: { kind: 'equal' },
    opensAt: new Date(Date.now() - 1_000).toISOString(),
    closesAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await send(tokenOf(user), 'POST', `/v1/activities/${id}/grabs`);
  for (const path of ['/v1/me/packets', '/v1/me/wallet/entries', `/v1/activities/${id}/grabs/me`])
    await send(tokenOf(user), 'GET', path);
  await send(operator, 'POST', `/v1/activities/${id}/close`);
}

/** Work on partitions of earlier rains, which current rains must not notice. */
export const PARTITIONS: readonly Kind[] = [
  { name: 'old-partitions-locked', weight: 1, prepare: beginPartition, strike: keepOldPartitions },
];
