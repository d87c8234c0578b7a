import { Queue } from 'bullmq';
import type { Verdict } from '../../src/modules/grab/claim.repository';
import { ActivityClosing } from '../../src/modules/lifecycle/close/activity-closing';
import { ActivityNews } from '../../src/modules/lifecycle/activity-news';
import { ActivityLoader } from '../../src/modules/lifecycle/load/activity-loader';
import { ActivitySweep } from '../../src/modules/lifecycle/mend/activity-sweep';
import { ActivityTidying } from '../../src/modules/lifecycle/tidy/activity-tidying';
import { EndedSweep } from '../../src/modules/lifecycle/tidy/ended-sweep';
import { ActivityTelling } from '../../src/modules/lifecycle/load/activity-telling';
import { RedisReminder } from '../../src/modules/lifecycle/load/redis-reminder';
import { RedisTrust } from '../../src/modules/dispenser';
import { ConfirmService } from '../../src/modules/grab/confirm.service';
import { Journal } from '../../src/modules/grab/journal';
import { SettlementQueue } from '../../src/modules/wallet/settlement-queue';
import type { SteppedClock } from '../../libs/local-engines';
import type { CloseWhen, DrawOutcome } from '../../libs/redis-scripts';
import { Metrics } from '../../src/platform/telemetry';
import { type Books, openBooks, type TopUpWish } from './books';
import { Dispensing } from './dispensing';
import { waitFor } from './engines';
import { assignmentNews, publisherOn } from './news';

/** Books and dispenser joined by the code that joins them in production: loading, confirmation, closing. */
export class WholeRain {
  readonly loader: ActivityLoader;
  readonly closing: ActivityClosing;
  readonly confirmations: ConfirmService;
  readonly journal: Journal;
  readonly reminder: RedisReminder;
  readonly trust: RedisTrust;
  readonly offers: SettlementQueue;
  private readonly queue: Queue;
  readonly sweeper: ActivitySweep;
  private readonly endedSweep: EndedSweep;

  private constructor(
    readonly books: Books,
    readonly dispensing: Dispensing,
    private readonly closeBooks: () => Promise<void>,
  ) {
    const { redis, own, loading, contents, standings } = dispensing;
    const { activities, config } = books;
    const { host, port } = redis.options;
    this.queue = new Queue('settlement', { connection: { host, port } });
    this.offers = new SettlementQueue(this.queue);
    const news = assignmentNews(redis, books.currency);
    this.confirmations = new ConfirmService(
      books.claims,
      dispensing.reservations,
      this.offers,
      news,
      new Metrics(),
    );
    this.journal = new Journal(dispensing.journals, own, this.confirmations, new Metrics());
    const activityNews = new ActivityNews(standings, publisherOn(redis));
    const tidying = new ActivityTidying(
      books.activities,
      loading,
      dispensing.closing,
      contents,
      standings,
      activityNews,
      books.dataSource,
    );
    this.closing = new ActivityClosing(
      books.activities,
      books.ledger,
      dispensing.closing,
      standings,
      own,
      this.journal,
      tidying,
      books.dataSource,
    );
    this.loader = new ActivityLoader(
      books.dataSource,
      books.activities,
      dispensing.reservations,
      loading,
      contents,
      standings,
      this.journal,
      tidying,
    );
    const telling = new ActivityTelling(
      activities,
      this.loader,
      tidying,
      this.confirmations,
      contents,
      standings,
    );
    this.trust = new RedisTrust(dispensing.serverTrust, own, books.dataSource);
    this.reminder = new RedisReminder(
      activities,
      telling,
      tidying,
      this.journal,
      contents,
      standings,
      own,
      this.trust,
      config,
    );
    this.sweeper = new ActivitySweep(
      activities,
      this.loader,
      this.closing,
      standings,
      own,
      activityNews,
      config,
      new Metrics(),
    );
    this.endedSweep = new EndedSweep(activities, tidying, standings, new Metrics());
  }

  /** On a database and a Redis of its own; Redis takes the time from the clock where one is given. */
  static async start({
    patient = true,
    clock,
  }: { readonly patient?: boolean; readonly clock?: SteppedClock } = {}): Promise<WholeRain> {
    const [{ books, close }, dispensing] = await Promise.all([
      openBooks({}, patient),
      Dispensing.start(undefined, { clock }),
    ]);
    return new WholeRain(books, dispensing, close);
  }

  /** On a Redis of its own and somebody else's books. */
  static async over(books: Books): Promise<WholeRain> {
    return new WholeRain(books, await Dispensing.start(), () => Promise.resolve());
  }

  /** Draws and confirms for users at once, as their grabs would; returns the verdicts of those who drew a packet. */
  async grab(activityId: string, ...userIds: string[]): Promise<Verdict[]> {
    const outcomes = await this.dispensing.draw(activityId, ...userIds);
    const reservations = outcomes.flatMap((outcome, i) => reservationIn(outcome, activityId, userIds[i]!));
    const decisions = await Promise.all(reservations.map((one) => this.confirmations.confirm(one)));
    await this.confirmations.beforeApplicationShutdown();
    return decisions.map(({ verdict }) => verdict);
  }

  /** Adds packets and loads them, as a request does. */
  async topUp(activityId: string, wish: TopUpWish): Promise<void> {
    await this.books.topUp(activityId, wish);
    await this.loader.extend(activityId);
  }

  async end(activityId: string, when: CloseWhen = 'any-time'): Promise<boolean> {
    return this.closing.close((await this.books.activities.find(activityId))!, when);
  }

  /** A worker tries again until Redis has been told everything, which takes several steps on a busy machine. */
  async remind(): Promise<void> {
    const isTold = async () => {
      await this.reminder.step();
      return this.dispensing.serverTrust.isTrusted();
    };
    await waitFor(isTold, { what: 'a Redis that has been told everything' });
  }

  /** What a worker does again and again. */
  async sweep(): Promise<void> {
    await this.reminder.step();
    await this.sweeper.mendAll();
    await this.sweeper.mendTroubled();
    await this.endedSweep.sweep();
    await this.sweeper.closeDue();
  }

  async stop(): Promise<void> {
    await this.offers.beforeApplicationShutdown();
    await this.queue.close();
    await this.dispensing.stop();
    await this.closeBooks();
  }
}

function reservationIn(outcome: DrawOutcome, activityId: string, userId: string) {
  if (outcome.kind !== 'won') return [];
  const { packet, entry, waitedSince } = outcome;
  return [{ activityId, userId, packet, entry, waitedSince }];
}
