import { DatabaseError, type Pool, type PoolClient } from 'pg';
import { AMOUNT_PER_PACKET_MINOR, type Answer, type Design, OPTIMISTIC_TRIES_MAX } from './design';

/** The minimum that these designs need, with the constraints of a careful author. */
const TABLES = `
  create table if not exists rain (
    id           bigint generated always as identity primary key,
    packets_left integer not null check (packets_left >= 0),
    amount_left  bigint  not null check (amount_left >= 0),
    version      integer not null default 0
  );
  create table if not exists rain_claim (
    rain_id      bigint  not null,
    user_id      text    not null,
    packet_no    integer,
    amount_minor bigint  not null,
    primary key (rain_id, user_id),
    unique (rain_id, packet_no)
  );
  create table if not exists rain_packet (
    rain_id      bigint  not null,
    no           integer not null,
    amount_minor bigint  not null,
    user_id      text,
    version      integer not null default 0,
    primary key (rain_id, no),
    constraint rain_packet_user_once unique (rain_id, user_id)
  );
  create index if not exists rain_packet_free on rain_packet (rain_id, no) where user_id is null;`;

const UNIQUE_VIOLATION = '23505';

/** Keeps one connection for the whole work, so that the read data is not stale before the write. */
export async function withClient<T>(pg: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pg.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

export async function takeOptimistically(
  pg: Pool,
  attempt: (client: PoolClient) => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let tries = 0; tries < OPTIMISTIC_TRIES_MAX; tries++) {
    const answer = await withClient(pg, attempt);
    if (answer !== undefined) return answer;
  }
  return 'gave-up';
}

export const createTables = (pg: Pool): Promise<unknown> => pg.query(TABLES);

export interface Rain {
  readonly id: string;
  readonly packetsLeft: number;
  readonly amountLeft: number;
  readonly version: number;
}

export async function openRain(pg: Pool, packets: number): Promise<string> {
  const { rows } = await pg.query<{ id: string }>(
    `insert into rain (packets_left, amount_left) values ($1, $2) returning id`,
    [packets, packets * AMOUNT_PER_PACKET_MINOR],
  );
  return rows[0]!.id;
}

export async function readRain(pg: Pool | PoolClient, id: string, lock = ''): Promise<Rain> {
  const { rows } = await pg.query<{ packets_left: number; amount_left: string; version: number }>(
    `select packets_left, amount_left, version from rain where id = $1 ${lock}`,
    [id],
  );
  const { packets_left, amount_left, version } = rows[0]!;
  return { id, packetsLeft: packets_left, amountLeft: Number(amount_left), version };
}

/** Takes a random share of the rest; undefined if the row has changed since it was read. */
export async function takeShare(
  pg: Pool | PoolClient,
  { id, version, packetsLeft, amountLeft }: Rain,
  userId: string,
): Promise<number | undefined> {
  const most = Math.floor((2 * (amountLeft - packetsLeft)) / packetsLeft);
  const amount = packetsLeft === 1 ? amountLeft : 1 + Math.floor(Math.random() * (most + 1));
  const { rowCount } = await pg.query(
    `with taken as (
       update rain set packets_left = packets_left - 1, amount_left = amount_left - $3, version = version + 1
        where id = $1 and version = $4
       returning id
     )
     insert into rain_claim (rain_id, user_id, amount_minor) select id, $2, $3 from taken`,
    [id, userId, amount, version],
  );
  return rowCount === 1 ? amount : undefined;
}

/** The unique constraint decides "one user, one packet". */
export async function alreadyWhenRefused(grab: Promise<Answer>): Promise<Answer> {
  try {
    return await grab;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return 'already';
    throw error;
  }
}

export async function claimsOf(pg: Pool, rainId: string): Promise<Map<string, number>> {
  const { rows } = await pg.query<{ user_id: string; amount_minor: string }>(
    `select user_id, amount_minor from rain_claim where rain_id = $1`,
    [rainId],
  );
  return new Map(rows.map((row) => [row.user_id, Number(row.amount_minor)]));
}

/** The common part of the designs that keep all data in Postgres and answer after the commit. */
export const NOTHING_BEHIND: Pick<Design, 'settled' | 'recover' | 'end'> = {
  settled: () => Promise.resolve(),
  recover: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

export const onRainRow = (pg: Pool): Pick<Design, 'open' | 'left' | 'claims'> => ({
  open: (packets) => openRain(pg, packets),
  left: async (rainId) => (await readRain(pg, rainId)).packetsLeft,
  claims: (rainId) => claimsOf(pg, rainId),
});

export const onPacketRows = (pg: Pool): Pick<Design, 'open' | 'left' | 'claims'> => ({
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
