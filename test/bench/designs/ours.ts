import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Standings } from '../../../libs/redis-scripts';
import { ActivityCreation } from '../../../src/core/lifecycle/create/activity-creation';
import { ActivityLoader } from '../../../src/core/recovery/restore/activity-loader';
import { RedisTrust, ShardHistories } from '../../../src/core/dispenser';
import { GrabService } from '../../../src/core/grab/tap/grab.service';
import { Journal } from '../../../src/core/grab/journal/journal';
import { WalletService } from '../../../src/core/wallet/wallet.service';
import { Currencies } from '../../../src/core/currency';
import { loadConfig } from '../../../src/platform/config';
import { dataSourceOptions } from '../../../src/platform/postgres';
import { Graph } from '../../harness/graph';
import { AMOUNT_PER_PACKET_MINOR, type Answer, type Design, POOL_MAX } from './design';

const HOUR_MS = 3_600_000;
const OPERATOR = { userId: 'operator', role: 'operator' } as const;
const SPONSOR = 'sponsor';

export interface OurDesign extends Design {
  /** Creates a rain that is open by its clock, without bringing it into Redis. */
  create(packets: number): Promise<string>;
  load(activityId: string): Promise<void>;
}

/** The product without HTTP: the services of its API process, which answer after the commit. */
export async function answerAfterCommit(databaseUrl: string, redisUrl: string): Promise<OurDesign> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    DATABASE_POOL_MAX: String(POOL_MAX),
    JWT_SECRET: 'no-token-is-signed-in-this-bench-0123456789',
    GRAB_ACK: 'postgres',
  });
  const dataSource = new DataSource(dataSourceOptions({ databaseUrl, poolMax: POOL_MAX }));
  await dataSource.initialize();
  const redis = new Redis(redisUrl);
  const { get, close } = await Graph.api({ config, dataSource, redis });
  await get(RedisTrust).onModuleInit();
  const standings = get(Standings);
  const grabs = get(GrabService);

  const create = (packets: number): Promise<string> =>
    dataSource.transaction(async (tx) => {
      const totalAmount = get(Currencies).default.format(BigInt(packets * AMOUNT_PER_PACKET_MINOR));
      const [key] = await tx.query<{ id: string }[]>(
        `insert into idempotency_key (principal, key, fingerprint, status, response)
           values ($1, $2, sha256(''), 201, '{}') returning id`,
        [OPERATOR.userId, randomUUID()],
      );
      await get(WalletService).deposit(tx, OPERATOR, SPONSOR, { amount: totalAmount }, key!.id);
      const activity = await get(ActivityCreation).create(tx, OPERATOR, {
        name: 'Rain',
        sponsorId: SPONSOR,
        totalAmount,
        packetCount: packets,
        split: { kind: 'random' },
        opensAt: new Date(Date.now() - HOUR_MS).toISOString(),
        closesAt: new Date(Date.now() + HOUR_MS).toISOString(),
      });
      return activity.id;
    });

  const load = (activityId: string): Promise<void> => get(ActivityLoader).load(activityId);

  return {
    losesNothing: true,
    remark: 'one commit for the winners of a moment; losers never touch Postgres',
    async open(packets) {
      const activityId = await create(packets);
      await load(activityId);
      await get(ShardHistories).vouch(await get(ShardHistories).judgeShards());
      await get(RedisTrust).renewTrust();
      return activityId;
    },
    create,
    load,
    async grab(activityId, userId): Promise<Answer> {
      const outcome = await grabs.grab(activityId, userId);
      if (outcome.kind === 'won') return Number(outcome.packet.amountMinor);
      if (outcome.kind === 'already' || outcome.kind === 'sold-out') return outcome.kind;
      if (outcome.kind === 'reserved') return 'gave-up';
      throw new Error(`A grab in an open rain was answered "${outcome.kind}".`);
    },
    settled: () => Promise.resolve(),
    async recover() {
      await get(Journal).sweep(0);
    },
    left: async (activityId) =>
      (await standings.readStanding(standings.keys.placeOf(activityId))).packetsLeft,
    async claims(activityId) {
      const rows = await dataSource.query<{ user_id: string; amount_minor: string }[]>(
        `select user_id, amount_minor from claim where activity_id = $1`,
        [activityId],
      );
      return new Map(rows.map((row) => [row.user_id, Number(row.amount_minor)]));
    },
    end: close,
  };
}
