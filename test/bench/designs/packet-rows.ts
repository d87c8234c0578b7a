import type { Pool } from 'pg';
import { AMOUNT_PER_PACKET_MINOR, type Answer, type Design, type Engines } from './design';
import { alreadyWhenRefused, NOTHING_BEHIND, openRain } from './tables';

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

const onPacketRows = (pg: Pool): Pick<Design, 'open' | 'left' | 'claims'> => ({
  async open(packets) {
    const rainId = await openRain(pg, packets);
    await pg.query(
      `insert into rain_packet (rain_id, no, amount_minor)
       select $1, no, 1 + floor(random() * $3) from generate_series(1, $2::integer) as no`,
      [rainId, packets, 2 * AMOUNT_PER_PACKET_MINOR],
    );
    await pg.query('analyze rain_packet');
    return rainId;
  },
  async left(rainId) {
    const { rows } = await pg.query<{ count: string }>(
      `select count(*) from rain_packet where rain_id = $1 and user_id is null`,
      [rainId],
    );
    return Number(rows[0]!.count);
  },
  async claims(rainId) {
    const { rows } = await pg.query<{ user_id: string; amount_minor: string }>(
      `select user_id, amount_minor from rain_packet where rain_id = $1 and user_id is not null`,
      [rainId],
    );
    return new Map(rows.map((row) => [row.user_id, Number(row.amount_minor)]));
  },
});
