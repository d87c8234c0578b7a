import { setTimeout as pause } from 'node:timers/promises';
import { redPacketId } from '../../libs/red-packet-id';
import { waitFor } from '../harness/engines';
import { internalErrors } from './checker';
import type { ClientLog } from './client-log';
import { CrowdProcess } from './crowd-process';
import { type ClaimRow, EngineReader } from './engine-reader';
import { Operator } from './operator';
import { insist, onOwnSystem, type ProofPlan, quiet } from './proof';
import type { System } from './system';

const ANN = 'ann';
const RAINS = 50;
const TAPS = 1_000;
const OTHERS = 1_000;

/** Ann taps on two days, so both limits bind. */
const LIMITS = { perUserPerDay: 3, perUser: 5 };
/** All others already have one win when they come. */
const LIMITS_OF_OTHERS = { perUserPerDay: 2, perUser: 2 };

const MIDNIGHT_IN_MS = 20_000;
const BURST_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * One user taps 1,000 times at once in 50 rains of a group, three times: while all Redis servers are killed
 * and come back with older data, across midnight in the sponsor's time zone, and at the end. Meanwhile 1,000
 * others come who may each win one more packet. Returns the faults.
 */
export const limitedRains = (plan: ProofPlan): Promise<string[]> =>
  onOwnSystem(plan, (system) => new LimitedRains(system, plan).play(), { onCluster: true });

class LimitedRains {
  private readonly operator: Operator;
  private readonly crowd: CrowdProcess;
  private readonly others = Array.from({ length: OTHERS }, (_, i) => `below-${i}`);

  constructor(
    private readonly system: System,
    private readonly plan: ProofPlan,
  ) {
    const { apiUrls } = system;
    this.operator = new Operator(apiUrls);
    this.crowd = new CrowdProcess(apiUrls);
  }

  async play(): Promise<string[]> {
    const { cluster } = this.system;
    // Following every command takes as much time as serving it.
    cluster.monitor.lookAway();
    const group = await this.createGroup();
    const { zone, midnightMs } = await this.beginDay();
    await this.come(group.before);
    await cluster.nodes.callAll('SAVE');
    await Promise.all([this.tapAll(group.rains), this.come(group.last), this.setBack()]);
    await pause(Math.max(0, midnightMs - BURST_MS / 2 - Date.now()));
    await Promise.all([this.tapAll(group.rains), this.come(group.last)]);
    await this.tapAll(group.rains);
    this.crowd.end();
    const reader = await EngineReader.open(this.system);
    return this.judge(group, zone, reader).finally(() => reader.close());
  }

  private async createGroup(): Promise<Group> {
    await this.operator.post('/v1/wallets/sponsor/deposits', { amount: `${3 * OTHERS}.00` });
    const rains: string[] = [];
    for (let i = 0; i < RAINS; i++) rains.push(await this.create(LIMITS, 10, i % 5 === 0 ? 2 : 1));
    const before = await this.create(LIMITS_OF_OTHERS, OTHERS, 3);
    return { rains, before, last: await this.create(LIMITS_OF_OTHERS, OTHERS, 6) };
  }

  private create(limits: object, packetCount: number, parts: number): Promise<string> {
    const amounts = { totalAmount: `${packetCount}.00`, packetCount, parts };
    const terms = { name: 'Limited', sponsorId: 'sponsor', ...amounts, limits };
    return this.operator.createRain(terms, HOUR_MS);
  }

  /**
   * Gives the rains a time zone whose midnight is near, by the clock of Postgres, which decides the day. No
   * IANA zone has such a midnight at every time of day, so the API would not accept it.
   */
  private async beginDay(): Promise<{ zone: string; midnightMs: number }> {
    const { postgres } = this.system;
    const [day] = await postgres.sql<{ zone: string; midnightMs: number }>(
      `select 'X' || to_char(midnight at time zone 'UTC', 'HH24:MI:SS') as zone,
              extract(epoch from midnight)::float8 * 1000 as "midnightMs"
         from date_trunc('second', clock_timestamp() + $1 * interval '1 ms') as midnight`,
      [MIDNIGHT_IN_MS],
    );
    await postgres.sql(`update activity set limits = jsonb_set(limits, '{timeZone}', to_jsonb($1::text))`, [
      day!.zone,
    ]);
    return day!;
  }

  /** Ann taps in all rains at the same time, and repeats each tap until it has a final answer. */
  private async tapAll(rains: readonly string[]): Promise<void> {
    const taps = Array.from({ length: TAPS }, async (_, i) => {
      await pause((i * BURST_MS) / TAPS);
      await insist(() => this.crowd.ask('tapUntilFinal', rains[i % RAINS]!, ANN));
    });
    await Promise.all(taps);
  }

  private async come(activityId: string): Promise<void> {
    const delaysMs = new Map(this.others.map((userId, i) => [userId, (i * BURST_MS) / OTHERS]));
    await insist(() => this.crowd.ask('tapAll', activityId, delaysMs));
  }

  /** Once Ann has won as often as she may today, all servers forget that. */
  private async setBack(): Promise<void> {
    const { postgres, cluster } = this.system;
    const hasWon = async () => {
      const wins = await postgres.sql(`select from claim where user_id = $1`, [ANN]);
      return wins.length >= LIMITS.perUserPerDay;
    };
    await waitFor(hasWon, { what: `the first wins of ${ANN}` });
    await cluster.nodes.restartAll();
  }

  private async judge({ rains, before, last }: Group, zone: string, reader: EngineReader): Promise<string[]> {
    await quiet(this.system, reader);
    const ids = [...rains, before, last];
    const claims = new Map<string, readonly ClaimRow[]>();
    for (const id of ids) claims.set(id, await reader.claims(id));
    const { requests, promises } = this.crowd.log;
    return [
      ...(await this.brokenLimit(zone)),
      ...this.refusedBelow(claims.get(last)!.length),
      ...promises.flatMap((promise) => brokenPromise(promise, claims.get(promise.activityId)!)),
      ...[...claims.values()]
        .flat()
        .filter(({ credits }) => credits !== 1)
        .map(({ userId, credits }) => `${userId} was paid ${credits} times`),
      ...internalErrors(requests),
      ...(await reader.brokenInvariants()),
    ];
  }

  /** Ann must have won as often as she may: by day according to Postgres, and in all according to her answers. */
  private async brokenLimit(zone: string): Promise<string[]> {
    const days = await this.system.postgres.sql<{ wins: number }>(
      `select count(*)::int as wins from claim where user_id = $2
        group by to_char(confirmed_at at time zone $1, 'YYYY-MM-DD') order by min(confirmed_at)`,
      [zone, ANN],
    );
    const { log } = this.crowd;
    const taps = log.requests.filter(({ userId }) => userId === ANN);
    const told = new Set(
      log.promises.filter(({ userId }) => userId === ANN).map(({ activityId }) => activityId),
    );
    const refused = taps.filter(({ told: answer }) => answer?.reason === 'limit').length;
    const { perUserPerDay, perUser } = LIMITS;
    const wins = days.map((day) => day.wins).join(' and ');
    this.plan.say(
      `${ANN}     ${taps.length} taps in ${RAINS} rains, ${refused} answered "limit"; won ${wins} by day, ` +
        `of ${perUserPerDay} a day and ${perUser} in all`,
    );
    return [
      ...(wins === `${perUserPerDay} and ${perUser - perUserPerDay}` ? [] : [`${ANN} won ${wins} by day`]),
      ...(told.size === perUser ? [] : [`${ANN} heard of ${told.size} wins`]),
    ];
  }

  private refusedBelow(winners: number): string[] {
    const refused = this.crowd.log.requests.filter(
      ({ userId, told }) => userId !== ANN && told?.reason === 'limit',
    );
    this.plan.say(`others  ${winners} of ${OTHERS} won what they still might`);
    return [
      ...(winners === OTHERS ? [] : [`${winners} of ${OTHERS} others won`]),
      ...refused.map(({ userId }) => `${userId} heard limit below the limit`),
    ];
  }
}

interface Group {
  readonly rains: readonly string[];
  /** The rain in which all others win first. */
  readonly before: string;
  readonly last: string;
}

function brokenPromise(
  { userId, activityId, told }: ClientLog['promises'][number],
  claims: readonly ClaimRow[],
): string[] {
  const claim = claims.find((row) => row.userId === userId);
  const isKept = claim && told.redPacketId === redPacketId(activityId, claim.packetNo);
  return isKept ? [] : [`LOST: packet ${told.redPacketId} of ${userId}`];
}
