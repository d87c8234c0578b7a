import { createHash } from 'node:crypto';
import { Problem } from '../../libs/problem';
import type { Place, RedisClient, Reservation, Standing } from '../../libs/redis-scripts';
import { ActivityClosing } from '../../src/core/lifecycle/close/activity-closing';
import { LongerWindows } from '../../src/core/recovery/restore/longer-windows';
import { ActivityLoader } from '../../src/core/recovery/restore/activity-loader';
import { ActivityRebuilder } from '../../src/core/recovery/restore/activity-rebuilder';
import { DueClosing } from '../../src/core/lifecycle/close/due-closing';
import { RedisReminder } from '../../src/core/recovery/mend/redis-reminder';
import { TopUpService } from '../../src/core/lifecycle/add/top-up.service';
import { ActivitySweep } from '../../src/core/recovery/mend/activity-sweep';
import { ExtendService } from '../../src/core/lifecycle/extend/extend.service';
import { EndedSweep } from '../../src/core/recovery/tidy/ended-sweep';
import { CloseService } from '../../src/core/lifecycle/close/close.service';
import { CreateService } from '../../src/core/lifecycle/create/create.service';
import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { RedisTrust } from '../../src/core/dispenser';
import { PartLengths } from '../../src/core/grab/parts/part-lengths';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { Journal } from '../../src/core/grab/journal/journal';
import { VerificationService } from '../../src/core/reconciliation/verification.service';
import { WaitlistLeader } from '../../src/extensions/waitlist/waitlist-leader';
import { WaitlistService } from '../../src/extensions/waitlist/waitlist.service';
import { VoidService } from '../../src/core/lifecycle/void/void.service';
import { DeadLetterService } from '../../src/core/wallet/dead-letter.service';
import { DirectSettlement } from '../../src/core/wallet/direct-settlement';
import { SettlementQueue } from '../../src/core/wallet/settlement-queue';
import { UnsettledSweep } from '../../src/core/wallet/unsettled-sweep';
import { IdempotentRequest } from '../../src/platform/http/idempotency/idempotent-request';
import { type Books, openBooks, OPERATOR } from '../harness/books';
import { DispenserParts } from '../harness/dispenser-parts';
import { Dispensing } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import { Faults, FaultyClaims, FaultyReservations, RestartingServer, Tally } from './faults';
import { Graph, type Replacement } from '../harness/graph';
import type { Answer, WaitAnswer } from './rain-model';

const SHARDS = 2;
const API_PROCESSES = 2;
const WORKERS = 2;
const HOUR_MS = 3_600_000;
const MEMORIES_MAX = 12;

export const SPONSOR = 'sponsor';
export const SPONSOR_FUNDS_MINOR = 1_000_000n;

export interface ClaimFacts {
  readonly id: string;
  readonly rainId: string;
  readonly userId: string;
  readonly packetNo: number;
  readonly amountMinor: bigint;
}

/** Paying is a separate step. */
const LEFT_TO_THE_QUEUE = { settleUpTo: () => Promise.resolve() };

/** Records offers in place of BullMQ. */
class RememberedOffers {
  claimIds: string[] = [];

  offer(claimIds: readonly string[]): void {
    this.claimIds.push(...claimIds);
  }

  async offerAgain(claimIds: readonly string[]): Promise<void> {
    this.offer(claimIds);
  }

  async beforeApplicationShutdown(): Promise<void> {}
}

/**
 * Two API processes and two workers, over real engines and without timers: everything that happens was
 * requested by a step.
 */
export class RainUnderTest {
  private readonly api = this.apis[0]!;
  private readonly worker = this.workers[0]!;
  readonly creation = this.api.get(CreateService);
  readonly closing = this.worker.get(ActivityClosing);
  readonly loader = this.worker.get(ActivityLoader);
  private readonly addingLoader = this.api.get(ActivityLoader);
  readonly rebuilder = this.worker.get(ActivityRebuilder);
  readonly journal = this.worker.get(Journal);
  readonly letters = this.api.get(DeadLetterService);
  readonly verification = this.api.get(VerificationService);
  readonly endings = this.api.get(CloseService);
  private readonly topUps = this.api.get(TopUpService);
  private readonly extensions = this.api.get(ExtendService);
  private readonly windows = this.api.get(LongerWindows);
  private readonly voids = this.api.get(VoidService);
  private readonly waitlist = this.api.get(WaitlistService);
  private readonly leaders = this.workers.map((one) => one.get(WaitlistLeader));
  private readonly confirmations = this.worker.get(ConfirmService);
  private readonly activitySweep = this.worker.get(ActivitySweep);
  private readonly dueClosing = this.worker.get(DueClosing);
  private readonly endedSweep = this.worker.get(EndedSweep);
  private readonly reminder = this.worker.get(RedisReminder);
  private readonly unsettledSweep = this.worker.get(UnsettledSweep);
  private memories: Map<string, Buffer>[] = [];
  private readonly dealt = new Map<string, number>();
  private requests = 0;

  private constructor(
    readonly books: Books,
    readonly redis: RedisClient,
    readonly parts: DispenserParts,
    readonly offers: RememberedOffers,
    private readonly server: RestartingServer,
    readonly faults: Faults,
    readonly tally: Tally,
    private readonly apis: readonly Graph[],
    private readonly workers: readonly Graph[],
    readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<RainUnderTest> {
    const { books, close } = await openBooks({ SHARD_COUNT: String(SHARDS), SWEEP_AGE_MS: '0' });
    const { config, dataSource } = books;
    const { redis, own, stop } = await Dispensing.start(SHARDS);
    const tally = new Tally();
    const faults = new Faults(tally);
    const server = new RestartingServer(own);
    const parts = new DispenserParts(own, new FaultyReservations(own, faults), server);
    const offers = new RememberedOffers();
    const engines = { config, dataSource, redis };
    const replaced: Replacement[] = [
      ...parts.replacements,
      [ClaimRepository, new FaultyClaims(books, faults, tally)],
      [SettlementQueue, offers],
      // Lengths that were read a step ago count as old here.
      [PartLengths, new PartLengths(parts.standings, 0)],
    ];
    const apis = await openEach(API_PROCESSES, () => Graph.api(engines, replaced));
    const workers = await openEach(WORKERS, () =>
      Graph.worker(engines, [...replaced, [DirectSettlement, LEFT_TO_THE_QUEUE]]),
    );
    for (const api of apis) await api.get(RedisTrust).onModuleInit();
    return new RainUnderTest(books, redis, parts, offers, server, faults, tally, apis, workers, async () => {
      for (const graph of [...apis, ...workers]) await graph.close();
      await stop();
      await close();
    });
  }

  async reset(): Promise<void> {
    const tables: { name: string }[] = await this.books.dataSource.query(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('migrations', 'setting', 'stored_function', 'currency')`,
    );
    const names = tables.map(({ name }) => name).join(', ');
    await this.books.dataSource.query(
      `set session_replication_role = replica; truncate ${names} restart identity; reset session_replication_role`,
    );
    await this.redis.flushall();
    this.faults.disarm();
    this.offers.claimIds = [];
    this.memories = [];
    await this.mend();
    await this.remember();
    await this.books.deposit(SPONSOR, SPONSOR_FUNDS_MINOR);
  }

  /** Waits for work for which no request waits in production. */
  async quiet(): Promise<void> {
    await this.confirmations.beforeApplicationShutdown();
    for (const api of this.apis) await api.get(ConfirmService).beforeApplicationShutdown();
  }

  request(key = `request-${(this.requests += 1)}`): IdempotentRequest {
    const fingerprint = createHash('sha256').update(key).digest();
    return new IdempotentRequest(OPERATOR, key, fingerprint, {
      statusCode: 200,
      header: () => this,
    } as never);
  }

  async create(packets: number, opensInMs: number, parts = 1): Promise<string> {
    const now = Date.now();
    const { id } = await this.creation.create(this.request(), {
      name: 'Rain',
      totalAmount: this.books.currency.format(BigInt(packets) * 100n),
      packetCount: packets,
      parts,
      split: { kind: 'random' },
      opensAt: new Date(now + opensInMs).toISOString(),
      closesAt: new Date(now + Math.max(opensInMs, 0) + HOUR_MS).toISOString(),
      sponsorId: SPONSOR,
    });
    this.dealt.set(id, parts);
    return id;
  }

  /** Adds packets. If it `dies`, Redis does not learn of them. */
  async topUp(rainId: string, packets: number, dies: boolean): Promise<void> {
    const body = { amount: this.books.currency.format(BigInt(packets) * 100n), packetCount: packets };
    await this.adding(dies, () => this.topUps.topUp(this.request(), rainId, body));
  }

  async declareVoid(letterId: string, dies: boolean): Promise<void> {
    await this.adding(dies, () => this.voids.declareVoid(this.request(), letterId, { reason: 'a robot' }));
  }

  /** Lets a rain close an hour later. A process that `dies` does so after the commit. */
  async extend(rainId: string, dies: boolean): Promise<void> {
    const { closesAt } = (await this.books.activities.findActivity(rainId))!;
    const body = { closesAt: new Date(closesAt.getTime() + HOUR_MS).toISOString() };
    const telling = jest.spyOn(this.windows, 'makeKnown');
    if (dies) telling.mockRejectedValue(new Error('dead'));
    await this.extensions.extend(this.request(), rainId, body).finally(() => telling.mockRestore());
  }

  /** Adds packets. A process that `dies` does so after the commit, before it loads them. */
  private async adding(dies: boolean, add: () => Promise<unknown>): Promise<void> {
    if (!dies) return void (await add());
    const loading = jest.spyOn(this.addingLoader, 'extend').mockRejectedValue(new Error('dead'));
    await add().finally(() => loading.mockRestore());
  }

  /** @throws Error if it is not an answer to a client */
  async grab(api: number, rainId: string, userId: string): Promise<Answer> {
    try {
      const answer = await this.apis[api]!.get(GrabService).grab(rainId, userId);
      this.tally.note(answer.kind);
      return answer;
    } catch (error) {
      if (error instanceof Problem && error.status === 503) {
        this.tally.note('unavailable');
        return { kind: 'unavailable' };
      }
      throw error;
    }
  }

  async join(rainId: string, userId: string): Promise<WaitAnswer> {
    const answer = await this.waitlist.join(rainId, userId).then(
      ({ position, waiting }) => ({ kind: 'place' as const, position, waiting }),
      (error: unknown) => ({ kind: refusalIn(error) }),
    );
    this.tally.note(answer.kind);
    return answer;
  }

  /** The user's place from 1; 0 for a user who does not wait. */
  async place(rainId: string, userId: string): Promise<number> {
    try {
      return (await this.waitlist.place(rainId, userId)).position;
    } catch (error) {
      if (error instanceof Problem && error.code === 'waitlist.not_waiting') return 0;
      throw error;
    }
  }

  async lead(): Promise<void> {
    await this.leaders[0]!.serveAll(new AbortController().signal);
  }

  /** Two workers serve at once: for a moment both believe that they lead. */
  async leadTwice(rainIds: readonly string[]): Promise<void> {
    const { signal } = new AbortController();
    await Promise.all(rainIds.flatMap((id) => this.leaders.map((leader) => leader.serve(id, signal))));
  }

  /** A leader dies after it has assigned packets to waiting users, and before any is confirmed. */
  async leaderDies(rainIds: readonly string[]): Promise<void> {
    for (const id of rainIds) await this.parts.waitingLists.assign(id, 50);
  }

  async settleOffered(workers = 1): Promise<void> {
    const claimIds = this.offers.claimIds.splice(0);
    if (claimIds.length === 0) return;
    const settling = Array.from({ length: workers }, () => this.books.settlement.settle(claimIds));
    for (const { paid, buried, retry } of await Promise.all(settling)) {
      if (paid > 0) this.tally.note('paid');
      if (buried > 0) this.tally.note('buried');
      if (retry.length > 0) this.tally.note('failed');
    }
  }

  sweepUnsettled(): Promise<void> {
    return this.unsettledSweep.sweep(new AbortController().signal);
  }

  /** Restores the data that Redis has lost, and finishes the work of closers that died. */
  async mend(): Promise<void> {
    await this.reminder.step();
    await this.activitySweep.mendAll();
    await this.dueClosing.closeDue();
    await this.endedSweep.sweep();
  }

  /** Makes the API processes check again whether they may trust Redis. */
  async look(): Promise<void> {
    for (const api of this.apis) await api.get(RedisTrust).renewTrust();
  }

  /** Closes several times at once; calls with the same key are one client that asks again. */
  async close(rainId: string, keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.closeAs(rainId, key)));
  }

  private async closeAs(rainId: string, key: string): Promise<void> {
    try {
      await this.endings.close(this.request(`close-${rainId}-${key}`), rainId);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'idempotency.in_flight') throw error;
    }
  }

  /** A closer dies before or after the remainder is refunded. */
  async closerDies(rainId: string, refunded: boolean): Promise<void> {
    const activity = (await this.books.activities.findActivity(rainId))!;
    const ending = await this.closing.refuseGrabs(activity, 'any-time');
    if (refunded) await this.books.dataSource.transaction((tx) => this.closing.refund(tx, rainId, ending!));
  }

  /**
   * Confirms, and starts closers before the commit, which must wait. Redis has forgotten the
   * reservations: otherwise the closers would wait because of the journal.
   */
  async closeAcrossCommit(
    reservations: readonly Reservation[],
    rainIds: readonly string[],
  ): Promise<ConfirmVerdict[]> {
    await this.loseTail(1);
    let verdicts: ConfirmVerdict[] = [];
    const commit = await this.books.hold(async (tx) => {
      verdicts = await new ClaimRepository(tx, this.books.config).confirm(reservations);
    });
    let over = false;
    const closing = Promise.all(rainIds.map((id) => this.close(id, ['slow']))).finally(() => (over = true));
    try {
      const arrived = async () => over || (await this.books.blocked()).length > 0;
      await waitFor(arrived, { what: 'the closers to wait or to be done' });
    } finally {
      await commit();
    }
    await closing;
    return verdicts;
  }

  /** Records all data of Redis at this moment. */
  async remember(): Promise<void> {
    const keys = await this.redis.keys('*');
    const values = await Promise.all(keys.map((key) => this.redis.dumpBuffer(key)));
    this.memories.push(new Map(keys.map((key, i) => [key, values[i]!])));
    this.memories.splice(0, this.memories.length - MEMORIES_MAX);
  }

  /** Resets Redis to its state of `steps` steps ago, like a stale replica. */
  async loseTail(steps: number): Promise<void> {
    const memory = this.memories.at(-steps) ?? this.memories[0]!;
    const restart = this.redis.multi().flushall();
    for (const [key, value] of memory) restart.restore(key, 0, value);
    for (const [error] of (await restart.exec())!) if (error) throw error;
    this.server.starts += 1;
    this.redis.emit('close');
  }

  async empty(): Promise<void> {
    await this.redis.flushall();
  }

  /** True if the rain is closed, or open with all of its `packets` packets. */
  async isLoaded(rainId: string, packets: number): Promise<boolean> {
    const { status, packetCursor } = await this.standing(rainId);
    return (status === 'open' && packetCursor === packets) || status === 'closed';
  }

  /** The numbers of the packets that users hold in Redis, by user. */
  async held(rainId: string): Promise<Map<string, number>> {
    const held = new Map<string, number>();
    for (const place of this.placesOf(rainId))
      for await (const page of this.parts.contents.holders(place))
        for (const { userId, packet } of page) held.set(userId, packet.no);
    return held;
  }

  /** Number of free packets in Redis, in the part where waiting users are served. */
  async listed(rainId: string): Promise<number> {
    return (await this.parts.standings.readStanding(this.parts.keys.placeOf(rainId))).packetsLeft;
  }

  async listedElsewhere(rainId: string): Promise<number> {
    return (await this.standing(rainId)).packetsLeft - (await this.listed(rainId));
  }

  standing(rainId: string): Promise<Standing> {
    return this.parts.standings.whole({ id: rainId, parts: this.partsOf(rainId) });
  }

  async rebuild(rainId: string): Promise<void> {
    for (const place of this.placesOf(rainId)) await this.rebuilder.rebuild(place);
  }

  private placesOf(rainId: string): Place[] {
    return this.parts.keys.placesOf({ id: rainId, parts: this.partsOf(rainId) });
  }

  private partsOf(rainId: string): number {
    return this.dealt.get(rainId)!;
  }

  waiters(rainId: string): Promise<string[]> {
    return this.redis.zrange(this.parts.keys.activity(rainId).waitlist, 0, -1);
  }

  async claims(): Promise<ClaimFacts[]> {
    const rows: (Omit<ClaimFacts, 'amountMinor'> & { amount: string })[] = await this.books.dataSource.query(
      `select id, activity_id as "rainId", user_id as "userId", packet_no as "packetNo", amount_minor as amount from claim`,
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
  }

  async endedRains(): Promise<Set<string>> {
    const rows: { id: string }[] = await this.books.dataSource.query(
      `select id from activity where status <> 'active'`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Balances of wallets by owner, and the sum of all balances of all accounts. */
  async balances(): Promise<{ readonly wallets: Map<string, bigint>; readonly sum: bigint }> {
    const rows: { ownerId: string; kind: string; balance: string }[] = await this.books.dataSource.query(
      `select owner_id as "ownerId", kind, balance_minor as balance from account`,
    );
    const wallets = rows.filter(({ kind }) => kind === 'wallet');
    return {
      wallets: new Map(wallets.map(({ ownerId, balance }) => [ownerId, BigInt(balance)])),
      sum: rows.reduce((sum, { balance }) => sum + BigInt(balance), 0n),
    };
  }
}

const openEach = (count: number, open: () => Promise<Graph>): Promise<Graph[]> =>
  Promise.all(Array.from({ length: count }, open));

/** @throws Error if it is not an answer to a client */
function refusalIn(error: unknown): Exclude<WaitAnswer['kind'], 'place'> {
  if (error instanceof Problem && error.status === 503) return 'unavailable';
  if (error instanceof Problem && error.code === 'waitlist.nothing_to_wait_for') return 'nothing to wait for';
  throw error;
}
