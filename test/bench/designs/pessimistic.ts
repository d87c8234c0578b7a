import type { PoolClient } from 'pg';
import type { Answer, Design, Engines } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, onRainRow, readRain, takeShare, withClient } from './tables';

export function pessimisticOnActivity({ pg }: Engines): Design {
  return {
    ...NOTHING_BEHIND,
    ...onRainRow(pg),
    losesNothing: true,
    remark: 'grabs of a rain stand in line',
    grab: (rainId, userId) =>
      withClient(pg, (client) =>
        alreadyWhenRefused(inTransaction(client, () => take(client, rainId, userId))),
      ),
  };
}

async function take(client: PoolClient, rainId: string, userId: string): Promise<Answer> {
  const rain = await readRain(client, rainId, 'for update');
  if (rain.packetsLeft === 0) return 'sold-out';
  return (await takeShare(client, rain, userId)) ?? 'gave-up';
}

async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
