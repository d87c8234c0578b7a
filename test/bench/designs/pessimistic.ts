import type { PoolClient } from 'pg';
import type { Answer, Design, Engines } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, onRainRow, readRain, takeShare } from './tables';

export function pessimisticOnActivity({ pg }: Engines): Design {
  async function inTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pg.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  return {
    ...NOTHING_BEHIND,
    ...onRainRow(pg),
    losesNothing: true,
    remark: 'grabs of a rain wait in line',
    grab: (rainId, userId) => alreadyWhenRefused(inTransaction((client) => take(client, rainId, userId))),
  };
}

async function take(client: PoolClient, rainId: string, userId: string): Promise<Answer> {
  const rain = await readRain(client, rainId, 'for update');
  if (rain.packetsLeft === 0) return 'sold-out';
  return (await takeShare(client, rain, userId)) ?? 'gave-up';
}
