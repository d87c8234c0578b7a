import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NoAnswer } from './api-call';
import { EngineReader } from './engine-reader';
import { Chance } from './chance';
import {
  internalErrors,
  judge,
  judgeAll,
  judgeClosed,
  judgeOpen,
  judgeWindow,
  type Verdict,
} from './checker';
import { CrowdProcess } from './crowd-process';
import { type Habit, habitOf } from './habit';
import type { Kind, Scene } from './kind';
import { Operator } from './operator';
import type { System } from './system';
import { userIdOf } from './user-id';
import type { Witness } from './witness';

/** Well below the two minutes for which nothing may stay pending, and well above what a busy machine takes to restart everything. */
const QUIET_WITHIN_MS = 60_000;
const QUIET_POLL_MS = 120;
const HOUR_MS = 3_600_000;
const LATE_TAPS = 4;
const OPENS_LATE_MS = 1_000;
const RESTLESS_AFTERWARDS_MS = 400;
/** Where Redis forgets, people have to come afterwards to reveal it by their draws. */
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

/** Longer than a worker takes to see what has come. */
const SERVED_WITHIN_MS = 600;

/** Longer than it takes to add packets and to see who waits for them. */
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
  /** People already come while they are added, and not only when those who wait have been served. */
  readonly hurries: boolean;
  /** Packets of the other activities that go on at the same time. */
  readonly beside: readonly number[];
  readonly users: ReadonlyMap<string, Habit>;
}

/**
 * One rain with its own activity and its own people, one harm done to it, and the checks afterwards. Sometimes more rains go
 * on beside it, for the same people and from the same sponsor.
 */
export class Round implements Scene {
  readonly chance: Chance;
  activityId = '';
  /** The activities that go on beside it. */
  private readonly besideIds: string[] = [];
  readonly poisoned: string[] = [];
  private readonly plan: Plan;
  private readonly operator: Operator;
  private readonly crowd: CrowdProcess;
  private readonly hits: string[] = [];
  private readonly faults: string[] = [];
  private window = { opensAt: 0, closesAt: 0 };
  private readonly forgiven: { fromMs: number; toMs: number }[] = [];
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
    const apiUrls = system.apis.map((api) => api.url);
    this.operator = new Operator(apiUrls);
    this.crowd = new CrowdProcess(apiUrls);
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
    this.forgiven.push({ fromMs, toMs });
  }

  close(): Promise<void> {
    return this.closeOne(this.activityId);
  }

  private async closeOne(activityId: string): Promise<void> {
    await this.operator.post(`/v1/activities/${activityId}/close`);
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
    this.crowd.end();
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
    this.window = this.windowFromNow();
    this.activityId = await this.createActivity(this.plan.packets);
    for (const packets of this.plan.beside) this.besideIds.push(await this.createActivity(packets));
    if (this.besideIds.length > 0) this.hit(`${this.activityIds.length} rains:`);
    await this.crowd.ask('listen', this.probeId);
    await this.crowd.ask('setRestless', this.kind.amnesia === true);
    const rains = this.activityIds.map((id) => this.crowd.ask('rain', id, this.peopleOf(id)));
    await Promise.all([...rains, this.strikeMeanwhile()]);
    await this.mend();
    if (this.plan.topUp > 0) await this.topUp();
    else if (this.kind.amnesia && this.chance.isTrue(0.5)) await this.everybodyAgain();
  }

  private get activityIds(): string[] {
    return [this.activityId, ...this.besideIds];
  }

  /** Fewer people come to the rains beside it, but still more than there are packets. */
  private peopleOf(activityId: string): ReadonlyMap<string, Habit> {
    const { beside, users } = this.plan;
    const packets = beside[this.besideIds.indexOf(activityId)];
    return packets === undefined ? users : new Map([...users].slice(0, Math.ceil(1.3 * packets)));
  }

  private windowFromNow(): { opensAt: number; closesAt: number } {
    const { closesByClock, spreadMs, opensInMs } = this.plan;
    const opensAt = Date.now() + opensInMs;
    return { opensAt, closesAt: opensAt + (closesByClock ? 2 * spreadMs : HOUR_MS) };
  }

  private async createActivity(packets: number): Promise<string> {
    const sponsorId = `sponsor-${this.number}`;
    const totalAmount = `${packets}.00`;
    await this.operator.post(`/v1/wallets/${sponsorId}/deposits`, { amount: totalAmount });
    const body = {
      name: `Round ${this.number}`,
      sponsorId,
      totalAmount,
      packetCount: packets,
      split: { kind: 'random' },
      opensAt: new Date(this.window.opensAt).toISOString(),
    };
    return this.createInTime(body);
  }

  /** On a busy machine the end can have come before the activity is created. */
  private async createInTime(body: object): Promise<string> {
    try {
      const closesAt = new Date(this.window.closesAt).toISOString();
      return (await this.operator.post('/v1/activities', { ...body, closesAt })).id;
    } catch (error) {
      if (!(error instanceof NoAnswer && error.message.endsWith(' closesAt'))) throw error;
      this.window.closesAt = Date.now() + 2 * this.plan.spreadMs;
      return this.createInTime(body);
    }
  }

  /**
   * Those who wait are served first; everybody else asks again, because now there may be something for them. Half of the time
   * those who wait ask again as well; otherwise the leader has to serve them.
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
      if (this.kind.amnesia) await pause(RESTLESS_AFTERWARDS_MS);
    } finally {
      await this.crowd.ask('setRestless', false);
    }
  }

  /** Somebody who taps from the moment of the blow on. */
  private async probe(): Promise<void> {
    await pause(10);
    await this.crowd.ask('tapUntilFinal', this.activityId, this.probeId);
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
  private async everybodyAgain({ spreadMs = 0, butWaiting = false } = {}): Promise<void> {
    const again = this.activityIds.map((id) => {
      const waiters = butWaiting ? this.crowd.log.placed(id) : new Set();
      const users = [this.probeId, ...this.peopleOf(id).keys()].filter((userId) => !waiters.has(userId));
      const delaysMs = users.map((userId) => [userId, this.chance.integer(0, spreadMs)] as const);
      return this.crowd.ask('tapAll', id, new Map(delaysMs));
    });
    await Promise.all(again);
  }

  private async askAfterwards(): Promise<Omit<Verdict, 'faults'>> {
    const { closesByClock } = this.plan;
    if (!closesByClock && !this.kind.closesEarly) {
      await this.withWitness((witness) => this.askWhileOpen(witness));
      await this.closeUnderFire();
    }
    return this.withWitness(async (witness) => {
      if (!closesByClock) await Promise.all(this.besideIds.map((id) => this.closeOne(id)));
      await this.quiet(witness.reader, 'closed');
      this.moneyMs ??= performance.now() - this.struckAt;
      await this.afterwards(witness.reader);
      await this.lateTaps();
      await this.quiet(witness.reader, 'closed');
      this.missed = this.kind.missed?.(this) ?? false;
      this.faults.push(...this.judgeWindow(witness), ...this.judgeErrors(witness));
      this.faults.push(...(await judgeAll(witness)));
      const verdicts = await Promise.all(this.eachRain(witness).map((rain) => this.judgeEnd(rain)));
      const sum = (figure: (verdict: Verdict) => number) =>
        verdicts.reduce((total, v) => total + figure(v), 0);
      return {
        told: sum((verdict) => verdict.told),
        credited: sum((verdict) => verdict.credited),
        lost: sum((verdict) => verdict.lost),
        paidTwice: sum((verdict) => verdict.paidTwice),
      };
    });
  }

  private async judgeEnd(witness: Witness): Promise<Verdict> {
    const verdict = await judge(witness, this.voided);
    this.faults.push(...verdict.faults, ...(await judgeClosed(witness)));
    return verdict;
  }

  /** The same witness for each activity of the round. What was added was added to the first. */
  private eachRain(witness: Witness): Witness[] {
    const { activityIds } = this;
    return activityIds.map((activityId, i) => ({
      ...witness,
      activityId,
      besideIds: activityIds.filter((id) => id !== activityId),
      lastPacketsAtMs: i === 0 ? witness.lastPacketsAtMs : 0,
    }));
  }

  private async askWhileOpen(witness: Witness): Promise<void> {
    await this.quiet(witness.reader, 'open');
    this.moneyMs = performance.now() - this.struckAt;
    for (const rain of this.eachRain(witness)) this.faults.push(...(await judgeOpen(rain)));
    if (!this.kind.cure) return;
    this.faults.push(...(await judgeAll(witness)), ...(await judge(witness, this.poisoned)).faults);
    await this.kind.cure(this);
    if (this.kind.voids) await this.declareVoid(witness);
    else await this.operator.post('/v1/dead-letters/replay', { activityId: this.activityId });
  }

  /** The packets that replace those of the poisoned users are for others. */
  private async declareVoid(witness: Witness): Promise<void> {
    const { reader } = witness;
    const letters = await reader.openLetters(this.activityId);
    const reason = 'poisoned';
    const voiding = letters.map(({ id }) => this.operator.post(`/v1/dead-letters/${id}/void`, { reason }));
    await Promise.all([...voiding, this.kind.strike(this)]);
    this.voided = letters.map(({ userId }) => userId);
    await this.mend();
    await this.quiet(reader, 'open');
    this.lastPacketsAtMs = Date.now();
    await this.everybodyAgain();
    await this.quiet(reader, 'open');
    this.faults.push(...(await judgeOpen({ ...witness, lastPacketsAtMs: this.lastPacketsAtMs })));
  }

  private async afterwards(reader: EngineReader): Promise<void> {
    if (!this.kind.afterwards) return;
    await this.kind.afterwards(this);
    await this.system.startServices();
    await reader.reconnected();
    await this.quiet(reader, 'closed');
  }

  private judgeErrors({ log }: Witness): string[] {
    return this.kind.throws ? [] : [...internalErrors(log.requests), ...this.operator.internalErrors];
  }

  private judgeWindow({ log }: Witness): string[] {
    return this.kind.stepsClock ? [] : judgeWindow(log, this.window);
  }

  /** Users who ask after the end are answered as before. */
  private async lateTaps(): Promise<void> {
    for (const userId of this.chance.shuffle(this.userIds).slice(0, LATE_TAPS))
      for (const activityId of this.activityIds) await this.crowd.ask('tapUntilFinal', activityId, userId);
  }

  private async closeUnderFire(): Promise<void> {
    await Promise.all([this.close(), this.plan.strikesTwice ? this.kind.strike(this) : undefined]);
    await this.mend();
  }

  /** Bounded: what has not come to rest by then never will, and is judged as it is. */
  private async quiet(reader: EngineReader, wanted: 'open' | 'closed'): Promise<void> {
    const deadline = performance.now() + QUIET_WITHIN_MS;
    let calm = 0;
    for (;;) {
      await this.system.reviveTheDead();
      const unrest = (await reader.unrest()) ?? (await this.notYet(reader, wanted));
      calm = unrest === undefined ? calm + 1 : 0;
      if (calm === 2) return;
      if (performance.now() > deadline) {
        this.faults.push(`after ${QUIET_WITHIN_MS} ms ${unrest}`);
        return;
      }
      await pause(QUIET_POLL_MS);
    }
  }

  private async notYet(reader: EngineReader, wanted: 'open' | 'closed'): Promise<string | undefined> {
    const { packets, beside, topUp } = this.plan;
    const counts = [packets + topUp + this.voided.length, ...beside];
    for (const [i, id] of this.activityIds.entries()) {
      const unrest =
        wanted === 'open' ? await notYetOpen(reader, id, counts[i]!) : await notYetClosed(reader, id);
      if (unrest) return unrest;
    }
    return undefined;
  }

  private async withWitness<T>(work: (witness: Witness) => Promise<T>): Promise<T> {
    const reader = await EngineReader.open(this.system);
    const userIds = [this.probeId, ...this.userIds];
    const { lastPacketsAtMs } = this;
    try {
      return await work({
        reader,
        log: this.crowd.log,
        monitor: this.system.redis.monitor,
        stepsClock: this.kind.stepsClock === true,
        activityId: this.activityId,
        besideIds: this.besideIds,
        userIds,
        forgiven: this.forgiven,
        knowsAll: this.kind.amnesia !== true,
        lastPacketsAtMs,
      });
    } finally {
      await reader.close();
    }
  }
}

async function notYetOpen(
  reader: EngineReader,
  activityId: string,
  packets: number,
): Promise<string | undefined> {
  const { status, packetsLeft, held } = await reader.standing(activityId);
  if (status !== 'open') return `the activity is ${status ?? 'missing'} in Redis`;
  if (packetsLeft + held !== packets)
    return `${packetsLeft} packets left and ${held} held are not ${packets}`;
  const waiting = await reader.waiting(activityId);
  return packetsLeft > 0 && waiting > 0 ? `${waiting} wait, and ${packetsLeft} packets are free` : undefined;
}

async function notYetClosed(reader: EngineReader, activityId: string): Promise<string | undefined> {
  const { status } = await reader.activity(activityId);
  return status === 'closed' ? undefined : `the activity is ${status}`;
}

function planOf(chance: Chance, kind: Kind, prefix: string): Plan {
  const packets = chance.integer(60, 160);
  const userCount = Math.ceil(packets * (kind.sellsOut || chance.isTrue(0.5) ? 1.3 : 0.75));
  const spreadMs = chance.integer(700, 1200) + (kind.amnesia ? LATECOMERS_MS : 0);
  // Another version may know fewer ids.
  const named = kind.needsOtherVersion ? (name: string) => name : userIdOf;
  const users = Array.from(
    { length: userCount },
    (_, i) => [named(`${prefix}-u${i}`, i), habitOf(chance, spreadMs)] as const,
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
    beside: kind.cure === undefined && chance.isTrue(0.25) ? besideOf(chance) : [],
  };
}

/** One to three more rains, with fewer packets, so that most are sold out. */
const besideOf = (chance: Chance): number[] =>
  Array.from({ length: chance.integer(1, 3) }, () => chance.integer(15, 40));
