import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Books } from './books';
import { Chance } from './chance';
import {
  internalErrors,
  judge,
  judgeClosed,
  judgeOpen,
  judgeWindow,
  type Verdict,
  type Witness,
} from './checker';
import { Crowd, type Habit, habitOf, NoAnswer, Operator } from './clients';
import type { Kind, Scene } from './kind';
import type { System } from './system';

/** Well below the two minutes that nothing may stay pending, and well above what a busy machine takes to start everything anew. */
const QUIET_WITHIN_MS = 60_000;
const QUIET_POLL_MS = 120;
const HOUR_MS = 3_600_000;
const LATE_TAPS = 4;
const OPENS_LATE_MS = 1_000;
const RESTLESS_AFTERWARDS_MS = 400;
/** Where Redis forgets, it takes people who come afterwards to draw what is not there. */
const LATECOMERS_MS = 1_000;

export interface RoundResult {
  readonly number: number;
  readonly kind: string;
  readonly amnesia: boolean;
  /** The failpoint was never reached. */
  readonly missed: boolean;
  readonly hits: readonly string[];
  readonly kills: number;
  readonly told: number;
  readonly credited: number;
  readonly lost: number;
  readonly paidTwice: number;
  /** From the blow to the next answered grab, and to the last payment. */
  readonly grabsMs?: number;
  readonly moneyMs?: number;
  readonly tookMs: number;
  /** Empty when all is well. */
  readonly faults: readonly string[];
}

/** Longer than it takes a worker to see what has come. */
const SERVED_WITHIN_MS = 600;

/** Longer than it takes to add packets and to look who waits for them. */
const HURRY_MS = 500;

interface Plan {
  readonly packets: number;
  readonly spreadMs: number;
  readonly strikeAtMs: number;
  readonly opensInMs: number;
  readonly closesByClock: boolean;
  readonly strikesTwice: boolean;
  /** Packets that are added when the first crowd has had its turn; 0 for none. */
  readonly topUp: number;
  /** People come while they are added, and not only when those who wait have been served. */
  readonly hurries: boolean;
  readonly users: ReadonlyMap<string, Habit>;
}

/** One rain with its own activity and its own people, one harm done to it, and the questions asked afterwards. */
export class Round implements Scene {
  readonly chance: Chance;
  activityId = '';
  readonly poisoned: string[] = [];
  private readonly plan: Plan;
  private readonly operator: Operator;
  private readonly crowd: Crowd;
  private readonly hits: string[] = [];
  private readonly faults: string[] = [];
  private window = { opensAt: 0, closesAt: 0 };
  private forgiven = { fromMs: 0, toMs: 0 };
  private lastPacketsAtMs = 0;
  /** Users whose claims are void; for each there is one packet more. */
  private voided: readonly string[] = [];
  private kills = 0;
  private missed = false;
  private struckAt = 0;
  private grabsMs?: number;
  private moneyMs?: number;

  constructor(
    readonly system: System,
    private readonly kind: Kind,
    private readonly number: number,
    words: string,
  ) {
    this.chance = new Chance(words);
    this.plan = planOf(this.chance, kind, `r${number}`);
    this.operator = new Operator(system.apis);
    this.crowd = new Crowd(system.apis);
  }

  get userIds(): string[] {
    return [...this.plan.users.keys()];
  }

  hit(what: string): void {
    this.hits.push(what);
  }

  killed(): void {
    this.kills += 1;
  }

  forgive(fromMs: number, toMs: number): void {
    this.forgiven = { fromMs, toMs };
  }

  async close(): Promise<void> {
    await this.operator.post(`/v1/activities/${this.activityId}/close`);
  }

  async play(): Promise<RoundResult> {
    const began = performance.now();
    for (const service of this.system.services) service.forgetLogs();
    this.system.redis.monitor.order.forget();
    let counts: Omit<Verdict, 'faults'> = { told: 0, credited: 0, lost: 0, paidTwice: 0 };
    try {
      await this.rain();
      counts = await this.askAfterwards();
    } catch (error) {
      this.faults.push(error instanceof NoAnswer ? error.message : String((error as Error).stack));
    }
    await this.system.replaceSpecialServices().catch((error: Error) => this.faults.push(String(error.stack)));
    const { number, missed, hits, kills, faults, grabsMs, moneyMs } = this;
    const { name: kind, amnesia = false } = this.kind;
    const tookMs = performance.now() - began;
    return { number, kind, amnesia, missed, hits, kills, ...counts, grabsMs, moneyMs, tookMs, faults };
  }

  /** Keeps what is needed to understand a failure; returns where the clients' log is. */
  saveEvidence(): string {
    const file = join(this.system.directory, `round-${this.number}.jsonl`);
    this.crowd.log.save(file);
    return file;
  }

  private async rain(): Promise<void> {
    await this.kind.prepare?.(this);
    this.activityId = await this.createActivity();
    await this.crowd.listen(this.probeId);
    this.crowd.restless = this.kind.amnesia === true;
    await Promise.all([this.crowd.rain(this.activityId, this.plan.users), this.strikeMeanwhile()]);
    await this.mend();
    if (this.plan.topUp > 0) await this.topUp();
    else if (this.kind.amnesia && this.chance.isTrue(0.5)) await this.everybodyAgain();
  }

  private async createActivity(): Promise<string> {
    const { packets, closesByClock, spreadMs, opensInMs } = this.plan;
    const sponsorId = `sponsor-${this.number}`;
    const totalAmount = `${packets}.00`;
    await this.operator.post(`/v1/wallets/${sponsorId}/deposits`, {
      amount: totalAmount,
    });
    const opensAt = Date.now() + opensInMs;
    this.window = {
      opensAt,
      closesAt: opensAt + (closesByClock ? 2 * spreadMs : HOUR_MS),
    };
    const { id } = await this.operator.post('/v1/activities', {
      name: `Round ${this.number}`,
      sponsorId,
      totalAmount,
      packetCount: packets,
      split: { kind: 'random' },
      opensAt: new Date(opensAt).toISOString(),
      closesAt: new Date(this.window.closesAt).toISOString(),
    });
    return id;
  }

  /**
   * Those who wait are served first; everybody else asks again, because now there may be something for them. Half of the time
   * those who wait do so as well: for the other half somebody has to serve them.
   */
  private async topUp(): Promise<void> {
    const amount = `${this.plan.topUp}.00`;
    await this.operator.post(`/v1/wallets/sponsor-${this.number}/deposits`, { amount });
    const body = { amount, packetCount: this.plan.topUp };
    const posting = this.operator.post(`/v1/activities/${this.activityId}/top-ups`, body);
    await Promise.all([posting, this.plan.hurries ? this.everybodyAgain({ spreadMs: HURRY_MS }) : undefined]);
    this.lastPacketsAtMs = Date.now();
    await pause(SERVED_WITHIN_MS);
    await this.mend();
    await this.everybodyAgain({ butWaiting: !this.plan.hurries });
  }

  private async strikeMeanwhile(): Promise<void> {
    await pause(this.plan.strikeAtMs);
    this.struckAt = performance.now();
    try {
      await Promise.all([this.kind.strike(this), this.probe()]);
      if (this.crowd.restless) await pause(RESTLESS_AFTERWARDS_MS);
    } finally {
      this.crowd.restless = false;
    }
  }

  /** Somebody who taps from the moment of the blow on. */
  private async probe(): Promise<void> {
    await pause(10);
    await this.crowd.tapUntilFinal(this.activityId, this.probeId);
    this.grabsMs = performance.now() - this.struckAt;
  }

  private get probeId(): string {
    return `r${this.number}-probe`;
  }

  private async mend(): Promise<void> {
    await this.kind.mend?.(this);
    await this.system.startServices();
  }

  /** Where Redis has forgotten something, asking again is what brings it to light. */
  private everybodyAgain({ spreadMs = 0, butWaiting = false } = {}): Promise<void> {
    const waiting = butWaiting ? this.crowd.log.placed(this.activityId) : new Set();
    const users = [this.probeId, ...this.userIds].filter((userId) => !waiting.has(userId));
    return this.crowd.tapAll(this.activityId, users, this.chance, spreadMs);
  }

  private async askAfterwards(): Promise<Omit<Verdict, 'faults'>> {
    if (!this.plan.closesByClock && !this.kind.closesEarly) {
      await this.withBooks((witness) => this.askWhileOpen(witness));
      await this.closeUnderFire();
    }
    return this.withBooks(async (witness) => {
      await this.quiet(witness.books, 'closed');
      this.moneyMs ??= performance.now() - this.struckAt;
      await this.afterwards(witness.books);
      await this.lateTaps();
      await this.quiet(witness.books, 'closed');
      this.missed = this.kind.missed?.(this) ?? false;
      const { faults, ...counts } = await judge(witness, this.voided);
      this.faults.push(
        ...faults,
        ...(await judgeClosed(witness)),
        ...this.judgeWindow(witness),
        ...this.judgeErrors(witness),
      );
      return counts;
    });
  }

  private async askWhileOpen(witness: Witness): Promise<void> {
    await this.quiet(witness.books, 'open');
    this.moneyMs = performance.now() - this.struckAt;
    this.faults.push(...(await judgeOpen(witness)));
    if (!this.kind.cure) return;
    this.faults.push(...(await judge(witness, this.poisoned)).faults);
    await this.kind.cure(this);
    if (this.kind.voids) await this.declareVoid(witness);
    else await this.operator.post('/v1/dead-letters/replay', { activityId: this.activityId });
  }

  /** What comes in place of what the poisoned users had is for others. */
  private async declareVoid(witness: Witness): Promise<void> {
    const { books } = witness;
    const letters = await books.openLetters(this.activityId);
    const reason = 'poisoned';
    const voiding = letters.map(({ id }) => this.operator.post(`/v1/dead-letters/${id}/void`, { reason }));
    await Promise.all([...voiding, this.kind.strike(this)]);
    this.voided = letters.map(({ userId }) => userId);
    await this.mend();
    await this.quiet(books, 'open');
    this.lastPacketsAtMs = Date.now();
    await this.everybodyAgain();
    await this.quiet(books, 'open');
    this.faults.push(...(await judgeOpen({ ...witness, lastPacketsAtMs: this.lastPacketsAtMs })));
  }

  private async afterwards(books: Books): Promise<void> {
    if (!this.kind.afterwards) return;
    await this.kind.afterwards(this);
    await this.system.startServices();
    await books.reconnected();
    await this.quiet(books, 'closed');
  }

  private judgeErrors({ log }: Witness): string[] {
    return this.kind.throws ? [] : [...internalErrors(log.requests), ...this.operator.internalErrors];
  }

  private judgeWindow({ log }: Witness): string[] {
    return this.kind.stepsClock ? [] : judgeWindow(log, this.window);
  }

  /** Who asks after the end hears the same as before. */
  private async lateTaps(): Promise<void> {
    for (const userId of this.chance.shuffle(this.userIds).slice(0, LATE_TAPS))
      await this.crowd.tapUntilFinal(this.activityId, userId);
  }

  private async closeUnderFire(): Promise<void> {
    await Promise.all([this.close(), this.plan.strikesTwice ? this.kind.strike(this) : undefined]);
    await this.mend();
  }

  /** Bounded: what has not come to rest by then never will; it is judged as it is. */
  private async quiet(books: Books, wanted: 'open' | 'closed'): Promise<void> {
    const deadline = performance.now() + QUIET_WITHIN_MS;
    let calm = 0;
    for (;;) {
      await this.system.reviveTheDead();
      const unrest = (await books.unrest()) ?? (await this.notYet(books, wanted));
      calm = unrest === undefined ? calm + 1 : 0;
      if (calm === 2) return;
      if (performance.now() > deadline) {
        this.faults.push(`after ${QUIET_WITHIN_MS} ms ${unrest}`);
        return;
      }
      await pause(QUIET_POLL_MS);
    }
  }

  private async notYet(books: Books, wanted: 'open' | 'closed'): Promise<string | undefined> {
    if (wanted === 'open') {
      const { status, packetsLeft, held } = await books.standing(this.activityId);
      if (status !== 'open') return `the activity is ${status ?? 'missing'} in Redis`;
      const packets = this.plan.packets + this.plan.topUp + this.voided.length;
      if (packetsLeft + held !== packets)
        return `${packetsLeft} packets left and ${held} held are not ${packets}`;
      const waiting = await books.waiting(this.activityId);
      return packetsLeft > 0 && waiting > 0
        ? `${waiting} wait, and ${packetsLeft} packets are free`
        : undefined;
    }
    const { status } = await books.activity(this.activityId);
    return status === 'closed' ? undefined : `the activity is ${status}`;
  }

  private async withBooks<T>(work: (witness: Witness) => Promise<T>): Promise<T> {
    const books = await Books.open(this.system);
    const userIds = [this.probeId, ...this.userIds];
    const { lastPacketsAtMs } = this;
    try {
      return await work({
        books,
        log: this.crowd.log,
        monitor: this.system.redis.monitor,
        stepsClock: this.kind.stepsClock === true,
        activityId: this.activityId,
        userIds,
        forgiven: this.forgiven,
        knowsAll: this.kind.amnesia !== true,
        lastPacketsAtMs,
      });
    } finally {
      await books.close();
    }
  }
}

function planOf(chance: Chance, kind: Kind, prefix: string): Plan {
  const packets = chance.integer(60, 160);
  const userCount = Math.ceil(packets * (kind.sellsOut || chance.isTrue(0.5) ? 1.3 : 0.75));
  const spreadMs = chance.integer(700, 1200) + (kind.amnesia ? LATECOMERS_MS : 0);
  const users = Array.from(
    { length: userCount },
    (_, i) => [`${prefix}-u${i}`, habitOf(chance, spreadMs)] as const,
  );
  const closesByClock =
    chance.isTrue(0.2) &&
    ![kind.closesEarly, kind.closedByHand, kind.sellsOut, kind.stepsClock].includes(true) &&
    kind.cure === undefined;
  return {
    packets,
    spreadMs,
    strikeAtMs: chance.integer(50, Math.round(kind.amnesia ? spreadMs / 2 : spreadMs * 1.2)),
    opensInMs: kind.opensLate ? OPENS_LATE_MS : 0,
    closesByClock,
    strikesTwice: chance.isTrue(0.25),
    users: new Map(users),
    topUp:
      kind.sellsOut || (!closesByClock && !kind.closesEarly && chance.isTrue(0.4))
        ? chance.integer(5, 30)
        : 0,
    hurries: chance.isTrue(0.5),
  };
}
