import type { DataSource } from 'typeorm';
import { CreditOutlet } from '../../src/core/outlet';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { loadConfig } from '../../src/platform/config';
import { Draws, USERS_PER_CALL } from './growth-draws';
import type { Sample } from './measure';
import { JWT_SECRET } from './product';
import { assertAllCredited, confirmClaims, createAccounts } from './settle-books';
import type { Stage } from './stage';

const CLAIMS_PER_BATCH = 1_000;

/** Bytes in Redis per free packet, per claim, and per reservation in the journal. */
export async function redisBytes(stage: Stage, packets: number): Promise<Sample> {
  const draws = new Draws(await stage.client(await stage.redis()));
  await draws.draw([await draws.open(USERS_PER_CALL)], 1);
  const empty = await draws.memoryBytes();
  const activityId = await draws.open(packets);
  const loaded = await draws.memoryBytes();
  await draws.drawAll([activityId], packets / USERS_PER_CALL);
  const journaled = await draws.memoryBytes();
  await draws.forgetJournals();
  const drawn = await draws.memoryBytes();
  return {
    packetLeft: (loaded - empty) / packets,
    claim: (drawn - empty) / packets,
    journaledReservation: (journaled - drawn) / packets,
  };
}

/** Bytes in Postgres per row with its share of all indexes. */
export async function postgresBytes(stage: Stage, claims: number): Promise<Sample> {
  const postgres = await stage.postgres();
  const db = await stage.dataSource(postgres);
  await createAccounts(db);
  const before = await sizes(db);
  const claimIds = await confirmClaims(db, { activities: 1, packetsEach: claims });
  const settlements = new SettlementRepository(
    db,
    loadConfig({ DATABASE_URL: postgres.url, REDIS_URL: 'redis://127.0.0.1:1', JWT_SECRET }),
    new CreditOutlet(),
  );
  for (let start = 0; start < claims; start += CLAIMS_PER_BATCH)
    await settlements.credit(claimIds.slice(start, start + CLAIMS_PER_BATCH));
  await assertAllCredited(db);
  const after = await sizes(db);
  return Object.fromEntries(
    Object.entries(after).map(([table, bytes]) => [table, (bytes - before[table]!) / claims]),
  );
}

const TABLES = ['packet', 'claim', 'transfer'] as const;

async function sizes(db: DataSource): Promise<Record<string, number>> {
  const rows = await db.query<{ table: string; bytes: number }[]>(
    `select "table", sum(pg_total_relation_size(relid))::float8 as bytes
       from unnest($1::text[]) as "table", pg_partition_tree("table"::regclass)
      group by 1`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ table, bytes }) => [table, bytes]));
}
