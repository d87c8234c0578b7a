import type { ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { ActivityClosing } from '../../src/core/lifecycle/close/activity-closing';
import { ActivityLoader } from '../../src/core/recovery/restore/activity-loader';
import { ActivityRebuilder } from '../../src/core/recovery/restore/activity-rebuilder';
import { DueClosing } from '../../src/core/lifecycle/close/due-closing';
import { ActivitySweep } from '../../src/core/recovery/mend/activity-sweep';
import { EndedSweep } from '../../src/core/recovery/tidy/ended-sweep';
import { RedisReminder } from '../../src/core/recovery/mend/redis-reminder';
import { RedisTrust } from '../../src/core/dispenser';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { Journal } from '../../src/core/grab/journal/journal';
import { SettlementQueue } from '../../src/core/wallet/settlement-queue';
import { IdempotencySweep } from '../../src/platform/http/idempotency/idempotency-sweep';
import type { SteppedClock } from '../../src/dev/engines';
import type { CloseWhen, DrawOutcome, Reservation } from '../../libs/redis-scripts';
import { type Engines, Graph, type Replacement } from './graph';
import { type ActivityWish, type Books, openBooks, type TopUpWish } from './books';
import { Dispensing } from './dispensing';
import { waitFor } from './engines';

/** Books and dispenser, joined by the production code for loading, confirmation and closing. */
export class WholeRain {
  readonly loader = this.worker.get(ActivityLoader);
  readonly closing = this.worker.get(ActivityClosing);
  readonly confirmations = this.worker.get(ConfirmService);
  readonly journal = this.worker.get(Journal);
  readonly reminder = this.worker.get(RedisReminder);
  readonly offers = this.worker.get(SettlementQueue);
  readonly rebuilder = this.worker.get(ActivityRebuilder);
  readonly sweeper = this.worker.get(ActivitySweep);
  readonly dueClosing = this.worker.get(DueClosing);
  readonly idempotencySweep = this.worker.get(IdempotencySweep);
  private readonly endedSweep = this.worker.get(EndedSweep);
  private readonly apis: Graph[] = [];

  private constructor(
    readonly books: Books,
    readonly dispensing: Dispensing,
    readonly worker: Graph,
    private readonly closeBooks: () => Promise<void>,
  ) {}

  /** Starts on a new database and a new Redis, with this clock if one is given. */
  static async start({
    patient = true,
    clock,
  }: { readonly patient?: boolean; readonly clock?: SteppedClock } = {}): Promise<WholeRain> {
    const [{ books, close }, dispensing] = await Promise.all([
      openBooks({}, patient),
      Dispensing.start(undefined, { clock }),
    ]);
    return WholeRain.of(books, dispensing, close);
  }

  static async over(books: Books): Promise<WholeRain> {
    return WholeRain.of(books, await Dispensing.start(), () => Promise.resolve());
  }

  static async of(
    books: Books,
    dispensing: Dispensing,
    closeBooks: () => Promise<void> = () => Promise.resolve(),
  ): Promise<WholeRain> {
    const replaced = [...dispensing.replacements, ...books.replacements];
    const worker = await Graph.worker(enginesOf(books, dispensing), replaced);
    return new WholeRain(books, dispensing, worker, closeBooks);
  }

  async openApi(replaced: readonly Replacement[] = []): Promise<Graph> {
    const { books, dispensing } = this;
    const api = await Graph.api(enginesOf(books, dispensing), [
      ...dispensing.replacements,
      ...books.replacements,
      ...replaced,
    ]);
    this.apis.push(api);
    return api;
  }

  /** Creates an activity and loads it. */
  async openRain(wish: ActivityWish): Promise<string> {
    const activityId = await this.books.activity(wish);
    await this.loader.load(activityId);
    return activityId;
  }

  /** Draws and confirms at once, as grabs would; returns the verdicts of those who drew a packet. */
  async grab(activityId: string, ...userIds: string[]): Promise<ConfirmVerdict[]> {
    const outcomes = await this.dispensing.draw(activityId, ...userIds);
    const reservations = outcomes.flatMap((outcome, i) =>
      this.reservationIn(outcome, activityId, userIds[i]!),
    );
    const decisions = await Promise.all(reservations.map((one) => this.confirmations.confirm(one)));
    await this.confirmations.beforeApplicationShutdown();
    return decisions.map(({ verdict }) => verdict);
  }

  private reservationIn(outcome: DrawOutcome, activityId: string, userId: string): Reservation[] {
    if (outcome.kind !== 'won') return [];
    const { packet, entry, waitedSince } = outcome;
    const shard = this.dispensing.keys.shardOf(activityId);
    return [{ activityId, userId, packet, shard, entry, waitedSince }];
  }

  async topUp(activityId: string, wish: TopUpWish): Promise<void> {
    await this.books.topUp(activityId, wish);
    await this.loader.extend(activityId);
  }

  /** Refuses grabs and refunds, like a closer that dies before tidying up. */
  async refund(activityId: string): Promise<void> {
    const activity = (await this.books.activities.findActivity(activityId))!;
    const ending = await this.closing.refuseGrabs(activity, 'any-time');
    await this.books.dataSource.transaction((tx) => this.closing.refund(tx, activityId, ending!));
  }

  async end(activityId: string, when: CloseWhen = 'any-time'): Promise<boolean> {
    return this.closing.close((await this.books.activities.findActivity(activityId))!, when);
  }

  /** Decides what the journal remembers, as after a crash between a draw and its confirmation. */
  async recover(): Promise<void> {
    await this.journal.sweep(0);
    await this.confirmations.beforeApplicationShutdown();
  }

  /** Reminds Redis of everything, and lets these programs know that they may trust it. */
  async trust(...apis: readonly Graph[]): Promise<void> {
    await this.remind();
    for (const api of apis) await api.get(RedisTrust).renewTrust();
  }

  /** Reminds until Redis has received everything, which can take several steps. */
  async remind(): Promise<void> {
    const isTold = async () => {
      await this.reminder.step();
      return this.dispensing.shardTrust.isTrusted();
    };
    await waitFor(isTold, { what: 'a Redis that has received everything' });
  }

  /** Does each of a worker's repeated tasks once. */
  async sweep(): Promise<void> {
    await this.reminder.step();
    await this.sweeper.mendAll();
    await this.sweeper.mendTroubled();
    await this.endedSweep.sweep();
    await this.dueClosing.closeDue();
  }

  async stop(): Promise<void> {
    for (const graph of [...this.apis, this.worker]) await graph.close();
    await this.dispensing.stop();
    await this.closeBooks();
  }
}

const enginesOf = ({ config, dataSource }: Books, { redis }: Dispensing): Engines => ({
  config,
  dataSource,
  redis,
});
