import type { PoolClient } from 'pg';
import { type Answer, type Design, type Engines, OPTIMISTIC_TRIES_MAX } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, onPacketRows, takeOptimistically } from './tables';

/** Number of free packets that rivals choose from, so that they do not all choose the same packet. */
const SPREAD = 64;

interface FreePacket {
  readonly no: number;
  readonly version: number;
}

/** Chooses a free packet and takes it if its version is unchanged, or else chooses again. */
export function optimisticOnPacket({ pg }: Engines): Design {
  async function freePacket(client: PoolClient, rainId: string, offset: number) {
    const { rows } = await client.query<FreePacket>(
      `select no, version from rain_packet where rain_id = $1 and user_id is null order by no offset $2 limit 1`,
      [rainId, offset],
    );
    return rows[0];
  }

  async function attempt(client: PoolClient, rainId: string, userId: string): Promise<Answer | undefined> {
    const offset = Math.floor(Math.random() * SPREAD);
    const packet = (await freePacket(client, rainId, offset)) ?? (await freePacket(client, rainId, 0));
    if (!packet) return 'sold-out';
    const { rows } = await client.query<{ amount: string }>(
      `update rain_packet set user_id = $4, version = version + 1
        where rain_id = $1 and no = $2 and version = $3 and user_id is null
       returning amount_minor as amount`,
      [rainId, packet.no, packet.version, userId],
    );
    return rows[0] && Number(rows[0].amount);
  }

  return {
    ...NOTHING_BEHIND,
    ...onPacketRows(pg),
    losesNothing: true,
    remark: `up to ${OPTIMISTIC_TRIES_MAX} tries`,
    grab: (rainId, userId) =>
      alreadyWhenRefused(takeOptimistically(pg, (client) => attempt(client, rainId, userId))),
  };
}

/** Takes the first free packet that no other session is taking right now, in one statement. */
export function skipLocked({ pg }: Engines): Design {
  async function take(rainId: string, userId: string): Promise<Answer> {
    const { rows } = await pg.query<{ amount: string }>(
      `update rain_packet set user_id = $2
        where rain_id = $1 and no = (
          select no from rain_packet
           where rain_id = $1 and user_id is null
           order by no limit 1 for update skip locked)
       returning amount_minor as amount`,
      [rainId, userId],
    );
    return rows[0] ? Number(rows[0].amount) : 'sold-out';
  }
  return {
    ...NOTHING_BEHIND,
    ...onPacketRows(pg),
    losesNothing: true,
    remark: 'one statement a grab; losers ask Postgres too',
    grab: (rainId, userId) => alreadyWhenRefused(take(rainId, userId)),
  };
}
