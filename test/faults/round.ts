import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Currency } from '../../libs/money';
import type { Dealt } from '../../libs/redis-scripts';
import type { TicketKey } from '../harness/ticket';
import { NoAnswer } from './api-call';
import { audienceBody, type Keys, outsidersOf } from './audience';
import { EngineReader } from './engine-reader';
import { Chance } from './chance';
import {
  internalErrors,
  judge,
  judgeAll,
  judgeClosed,
  judgeOpen,
  judgeWindow,
  type RoundVerdict,
} from './checker';
import { CodeGifts } from './code-gifts';
import { CommittedPackets } from './committed-packets';
import type { Strangers } from './crowd';
import { CrowdProcess } from './crowd-process';
import type { Habit } from './habit';
import { HeldClaims } from './held-claims';
import type { Kind, Scene } from './kind';
import { Leavers } from './leavers';
import { LogWatch } from './log-watch';
import { Operator, type TwoOperators, twoOperators } from './operator';
import { Payouts } from './payouts';
import { type Plan, partsOf, planOf } from './plan';
import { strangersOf } from './strangers';
import type { System } from './system';
import { addedPaceOf, bodyOf, paceOf, type Releases, type Terms, termsOf } from './terms';
import type { Committed, Witness } from './witness';

/** Below the two minutes for which nothing may stay pending, and longer than any restart. */
const QUIET_WITHIN_MS = 60_000;
const QUIET_POLL_MS = 120;
const HOUR_MS = 3_600_000;
const LATE_TAPS = 4;
const RESTLESS_AFTERWARDS_MS = 400;
/** On a busy machine, the first rains of a round may end before users come. */
const CREATIONS_MAX = 5;

export interface RoundResult {
  readonly number: number;
  readonly kind: string;
  readonly amnesia: boolean;
  /** The largest number of parts of any rain of the round. */
  readonly parts: number;
  readonly missed: boolean;
  readonly hits: readonly string[];
  readonly kills: number;
  readonly told: number;
  readonly credited: number;
  readonly lost: number;
  readonly paidTwice: number;
  /** Number of payouts that a receiver has paid. */
  readonly paidOut: number;
  /** Time from the blow to the next answered grab, and to the last payment. */
  readonly grabsMs?: number;
  readonly moneyMs?: number;
  readonly tookMs: number;
  readonly faults: string[];
}

type Counts = Pick<RoundResult, 'told' | 'credited' | 'lost' | 'paidTwice' | 'paidOut'>;

/** Longer than a worker takes to notice new packets. */
const SERVED_WITHIN_MS = 600;

/** Longer than it takes to add packets and to notice who waits for them. */
const HURRY_MS = 500;

/**
 * Longer than processes take to notice that Postgres has lost commits. Until then, a user may hear of a lost
 * win that exceeds a limit by the time it comes back.
 */
const NOTICED_WITHIN_MS = 2_000;

/** The currencies of a round's rains, in turn: the default (undefined), money with three decimals, and points. */
const CURRENCIES = [undefined, new Currency('KWD', 3), new Currency('COINS', 0)] as const;

const MINOR_OF_PACKET = 100n;

/** A plan lasts longer than users take to come, so that some come too early. */
const PACE_LASTS = 2;

/**
 * One rain with its own users, one harm, and the checks afterwards. Sometimes more rains run alongside it, for the
 * same users and from the same sponsor.
 */
export class Round implements Scene {
  readonly chance: Chance;
  activityId = '';
  private readonly besideIds: string[] = [];
  /** Rains that were created too late for users, and end by themselves. */
  private readonly formerIds: string[] = [];
  readonly poisoned: string[] = [];
  private readonly terms: Terms;
  private readonly leaversChance: Chance;
  private readonly plan: Plan;
  private readonly partCounts: readonly number[];
  private readonly operator: Operator;
  private readonly crowd: CrowdProcess;
  private readonly hits: string[] = [];
  private readonly faults: string[] = [];
  private window = { opensAt: 0, closesAt: 0 };
  private readonly forgiven: { fromMs: number; toMs: number }[] = [];
  private lastPacketsAtMs = 0;
  private readonly committed: CommittedPackets;
  /** Users whose claims are void; each void claim adds one packet. */
  private voided: readonly string[] = [];
  private payouts?: Payouts;
  private gifts?: CodeGifts;
  private leavers?: Leavers;
  private readonly held: HeldClaims;
  private readonly logWatch: LogWatch;
  /** The plans of the activities that have a plan. */
  private readonly paces = new Map<string, Releases>();
  private readonly added: { readonly atMs: number; readonly count: number }[] = [];
  private ticketKey?: TicketKey;
  private strangers: Strangers = new Map();
  private outsiderIds: readonly string[] = [];
  private rotatedAtMs?: number;
  private readonly keys = new Map<string, Keys>();
  /** The currencies of activities that are not in the default one. */
  private readonly currencies = new Map<string, Currency>();
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
    const termsChance = new Chance(`${words}/terms`);
    this.terms = termsOf(termsChance, kind);
    this.leaversChance = new Chance(`${words}/leavers`);
    this.plan = planOf(this.chance, kind, `r${number}`, this.terms);
    this.partCounts = partsOf(new Chance(`${words}/parts`), kind, 1 + this.plan.beside.length);
    const { apiUrls } = system;
    this.operator = new Operator(apiUrls);
    this.committed = new CommittedPackets(system.postgres);
    this.crowd = new CrowdProcess(apiUrls);
    this.held = new HeldClaims(termsChance, this.operator);
    this.logWatch = new LogWatch(apiUrls[0]!);
  }

  get parts(): number {
    return this.partCounts[0]!;
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
    this.system.redisSide.monitor.order.forget();
    let counts: Counts = { told: 0, credited: 0, lost: 0, paidTwice: 0, paidOut: 0 };
    try {
      await this.rain();
      counts = await this.askAfterwards();
    } catch (error) {
      this.faults.push(error instanceof NoAnswer ? error.message : String((error as Error).stack));
    }
    this.crowd.end();
    await this.logWatch.end();
    await this.payouts?.close().catch((error: Error) => this.faults.push(String(error.stack)));
    await this.system.replaceSpecialServices().catch((error: Error) => this.faults.push(String(error.stack)));
    const { number, hits, kills, faults } = this;
    const hasWinners = counts.told > 0;
    if (!hasWinners) this.hit('nobody won');
    const missed = this.missed || !hasWinners;
    // A rain that keeps its pace makes users wait.
    const recovery = this.terms.pace ? {} : { grabsMs: this.grabsMs, moneyMs: this.moneyMs };
    const { name: kind, amnesia = false } = this.kind;
    const tookMs = performance.now() - began;
    const parts = Math.max(...this.partCounts);
    return { number, kind, amnesia, parts, missed, hits, kills, ...counts, ...recovery, tookMs, faults };
  }

  saveEvidence(): string {
    const file = join(this.system.directory, `round-${this.number}.jsonl`);
    this.crowd.log.save(file);
    return file;
  }

  private async rain(): Promise<void> {
    if (this.kind.paysOut) await this.openChannel();
    if (this.terms.tickets) await this.useTickets();
    if (this.terms.codes) await this.giveCodes();
    if (this.terms.erasures) await this.giveSomeAPast();
    if (this.terms.currencies) await this.useCurrencies();
    await this.kind.prepare?.(this);
    await this.createInTimeForUsers();
    if (this.besideIds.length > 0) this.hit(`${this.activityIds.length} rains:`);
    if (this.isDealt) this.hit(`over ${this.partCounts.join()} parts:`);
    if (this.terms.limit) this.hit(`${this.terms.limit.by} ${this.terms.limit.wins}:`);
    if (this.terms.pace) this.hit(`pace ${this.terms.pace}:`);
    if (this.terms.rehearses) this.hit('rehearsals beside:');
    if (this.terms.audience) this.hit(`for ${this.terms.audience}:`);
    await this.crowd.ask('listen', this.probeId);
    await this.crowd.ask('setRestless', this.kind.amnesia === true);
    const rains = this.activityIds.map((id) => this.crowd.ask('rain', id, this.peopleOf(id)));
    await Promise.all([
      ...rains,
      this.intrude(),
      this.rotateShareCode(),
      this.strikeMeanwhile(),
      this.forgetSome(),
    ]);
    await this.mend();
    if (this.plan.topUp > 0) await this.topUp();
    else if (this.kind.amnesia && this.chance.isTrue(0.5)) await this.everybodyAgain();
  }

  /** Enough codes for every attempt: rains that were created too late keep theirs until they end. */
  private async giveCodes(): Promise<void> {
    const { packets, beside, topUp } = this.plan;
    const packetCount = beside.reduce((sum, count) => sum + count, packets + topUp);
    this.gifts = await CodeGifts.open(this.operator, this.sponsorId, CREATIONS_MAX * packetCount);
    this.hit('codes:');
  }

  private async useCurrencies(): Promise<void> {
    const { items } = await this.operator.send('GET', '/v1/currencies');
    const known = new Set((items as { code: string }[]).map(({ code }) => code));
    for (const [code, kind] of Object.entries({ KWD: 'money', COINS: 'points' }))
      if (!known.has(code)) await this.operator.post('/v1/currencies', { code, kind, name: code });
    this.hit('currencies:');
  }

  private async openChannel(): Promise<void> {
    const userIds = [this.probeId, ...this.userIds];
    const round = { activityIds: () => this.activityIds, userIds, stepsClock: this.kind.stepsClock };
    this.payouts = await Payouts.open(this.system, this.operators, round);
  }

  private get operators(): TwoOperators {
    return { ...twoOperators(this.system.apiUrls), one: this.operator };
  }

  private async giveSomeAPast(): Promise<void> {
    this.leavers = await Leavers.open(this.system, this.operators, this.leaversChance);
    this.hit('erasures:');
  }

  private async forgetSome(): Promise<void> {
    await this.leavers?.leave(() => this.killed());
  }

  private get isDealt(): boolean {
    return this.partCounts.some((parts) => parts > 1);
  }

  private get activityIds(): string[] {
    return [this.activityId, ...this.besideIds];
  }

  /** The other rains have fewer users, but still more users than packets. */
  private peopleOf(activityId: string): ReadonlyMap<string, Habit> {
    const { beside, users } = this.plan;
    const packets = beside[this.besideIds.indexOf(activityId)];
    return packets === undefined ? users : new Map([...users].slice(0, Math.ceil(1.3 * packets)));
  }

  /** Creates the rains, and creates them again with more time if the clock would end them before users come. */
  private async createInTimeForUsers(): Promise<void> {
    const { closesByClock, spreadMs } = this.plan;
    for (let attempt = 0, moreMs = 0; attempt < CREATIONS_MAX; attempt++, moreMs = 2 * moreMs + 1_000) {
      this.window = this.windowFromNow(moreMs);
      await this.createRains();
      if (!closesByClock || this.window.closesAt - Date.now() >= 1.5 * spreadMs) return;
      if (attempt + 1 < CREATIONS_MAX) this.formerIds.push(...this.activityIds);
    }
  }

  private async createRains(): Promise<void> {
    const currencyOf = (i: number) =>
      this.terms.currencies ? CURRENCIES[(this.number + i) % CURRENCIES.length] : undefined;
    this.activityId = await this.createActivity(this.plan.packets, this.parts, { currency: currencyOf(0) });
    this.besideIds.length = 0;
    for (const [i, packets] of this.plan.beside.entries()) {
      const kind = { currency: currencyOf(i + 1), rehearsal: this.terms.rehearses };
      this.besideIds.push(await this.createActivity(packets, this.partCounts[i + 1]!, kind));
    }
  }

  private windowFromNow(moreMs: number): { opensAt: number; closesAt: number } {
    const { closesByClock, spreadMs, opensInMs } = this.plan;
    const opensAt = Date.now() + opensInMs;
    return { opensAt, closesAt: opensAt + (closesByClock ? moreMs + 2 * spreadMs : HOUR_MS) };
  }

  private async useTickets(): Promise<void> {
    const key = await this.operator.post('/v1/ticket-keys', { sponsorId: this.sponsorId });
    this.ticketKey = key;
    await this.crowd.ask('useTickets', key, this.terms.holds);
    this.hit(this.terms.holds ? 'tickets, some held:' : 'tickets:');
  }

  private async intrude(): Promise<void> {
    const { activityId, ticketKey, terms } = this;
    const outsiders = terms.audience ? outsidersOf(activityId) : new Map<string, Keys>();
    this.outsiderIds = [...outsiders.keys()];
    this.strangers = new Map([
      ...(ticketKey ? strangersOf(ticketKey, activityId, this.userIds[0]!, this.keys.get(activityId)) : []),
      ...Array.from(outsiders, ([userId, keys]) => [userId, { keys }] as const),
    ]);
    if (this.strangers.size === 0) return;
    await this.crowd.ask('intrude', this.activityId, this.strangers, this.plan.spreadMs / 3);
  }

  /** Gives the keys of a new activity to all its users. */
  private async shareKeys(activityId: string): Promise<void> {
    if (!this.terms.audience) return;
    const audience = await this.operator.send('GET', `/v1/activities/${activityId}/audience`);
    const keys: Keys = { shareCode: audience.shareCode, password: audience.password };
    this.keys.set(activityId, keys);
    await this.crowd.ask('useKeys', activityId, keys, this.holdersAreKnown);
  }

  /** Replaces the share code in the middle of the rain. Winners keep using the former one. */
  private async rotateShareCode(): Promise<void> {
    if (this.terms.audience !== 'link') return;
    await pause(this.plan.spreadMs / 2);
    this.rotatedAtMs = Date.now();
    const path = `/v1/activities/${this.activityId}/share-code`;
    const { shareCode } = await this.operator.post(path);
    await this.crowd.ask('useKeys', this.activityId, { shareCode }, this.holdersAreKnown);
  }

  /** True if Postgres knows every win that users heard of. */
  private get holdersAreKnown(): boolean {
    return this.kind.amnesia !== true;
  }

  private async createActivity(
    packets: number,
    parts: number,
    { currency, rehearsal }: { currency?: Currency; rehearsal?: boolean },
  ): Promise<string> {
    const { sponsorId, terms } = this;
    const money = await this.moneyFor(packets, currency, rehearsal);
    const { opensAt } = this.window;
    const pace = terms.pace && paceOf(terms.pace, packets, opensAt, PACE_LASTS * this.plan.spreadMs);
    const { audience } = terms;
    const body = {
      ...bodyOf(terms),
      audience: audience && audienceBody(audience, this.chance, [this.probeId, ...this.userIds]),
      name: `Round ${this.number}`,
      sponsorId,
      // Another version may not know the field.
      rehearsal: rehearsal || undefined,
      totalAmount: money.amount,
      currency: money.currency,
      packetCount: packets,
      parts: parts > 1 ? parts : undefined,
      split: money.split ?? { kind: 'random' },
      payout: this.payouts && { channelId: this.payouts.channelId },
      pace: pace?.body,
      opensAt: new Date(opensAt).toISOString(),
    };
    const id = await this.createInTime(body);
    await this.shareKeys(id);
    if (pace) this.paces.set(id, pace.releases);
    if (currency) this.currencies.set(id, currency);
    this.committed.note(id, packets);
    return id;
  }

  /** Deposits what these packets cost, unless they give codes. */
  private async moneyFor(
    packets: number,
    currency?: Currency,
    rehearsal = false,
  ): Promise<{ amount: string; currency?: string; split?: { kind: string } }> {
    if (this.gifts)
      return { amount: String(packets), currency: this.gifts.currency.code, split: { kind: 'equal' } };
    const amount = currency ? currency.format(BigInt(packets) * MINOR_OF_PACKET) : `${packets}.00`;
    const money = { amount, currency: currency?.code };
    if (!rehearsal) await this.operator.post(`/v1/wallets/${this.sponsorId}/deposits`, money);
    return money;
  }

  /** Creates the activity, with a later end if the planned one has already passed, as on a busy machine. */
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
   * Adds packets, for which everyone else asks again. Half the time waiting users ask as well;
   * otherwise the leader has to serve them.
   */
  private async topUp(): Promise<void> {
    const { amount, currency, split } = await this.moneyFor(
      this.plan.topUp,
      this.currencies.get(this.activityId),
    );
    const { body: pace, releases } = this.terms.pace
      ? addedPaceOf(this.plan.topUp, this.window)
      : { body: undefined, releases: [{ atMs: Date.now(), count: this.plan.topUp }] };
    this.added.push(...releases);
    const body = { amount, currency, packetCount: this.plan.topUp, split, pace };
    const posting = this.operator.post(`/v1/activities/${this.activityId}/top-ups`, body);
    await Promise.all([
      this.committed.during(this.activityId, posting),
      this.plan.hurries ? this.everybodyAgain({ spreadMs: HURRY_MS }) : undefined,
    ]);
    this.lastPacketsAtMs = Date.now();
    await pause(Math.max(0, releases.at(-1)!.atMs - Date.now()) + SERVED_WITHIN_MS);
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

  /** Taps as one more user, from the moment of the blow until there is a final answer. */
  private async probe(): Promise<void> {
    await pause(10);
    await this.crowd.ask('tapUntilFinal', this.activityId, this.probeId);
    this.grabsMs = performance.now() - this.struckAt;
  }

  private get sponsorId(): string {
    return `sponsor-${this.number}`;
  }

  private get probeId(): string {
    return `r${this.number}-probe`;
  }

  private async mend(): Promise<void> {
    await this.kind.mend?.(this);
    await this.system.startServices();
  }

  /** All users ask again, which reveals data that Redis has forgotten. */
  private async everybodyAgain({ spreadMs = 0, butWaiting = false } = {}): Promise<void> {
    const again = this.activityIds.map((id) => {
      const waiters = butWaiting ? this.crowd.log.placed(id) : new Set();
      const users = [this.probeId, ...this.peopleOf(id).keys()].filter((userId) => !waiters.has(userId));
      const delaysMs = users.map((userId) => [userId, this.chance.integer(0, spreadMs)] as const);
      return this.crowd.ask('tapAll', id, new Map(delaysMs));
    });
    await Promise.all(again);
  }

  private async askAfterwards(): Promise<Counts> {
    const { closesByClock } = this.plan;
    if (!closesByClock && !this.kind.closesEarly) {
      await this.withWitness((witness) => this.askWhileOpen(witness));
      await this.closeUnderFire();
    }
    return this.withWitness(async (witness) => {
      if (!closesByClock) await Promise.all(this.besideIds.map((id) => this.closeOne(id)));
      await this.quiet(witness.reader, 'closed');
      this.moneyMs ??= performance.now() - this.struckAt;
      await this.held.declareSomeVoid(witness.reader, this.activityIds);
      await this.afterwards(witness.reader);
      await this.lateTaps();
      await this.quiet(witness.reader, 'closed');
      this.missed = this.kind.missed?.(this) ?? false;
      this.faults.push(...this.judgeWindow(witness), ...this.judgeErrors(witness));
      this.faults.push(...(await this.logWatch.judge(witness.reader, this.forgiven.length > 0)));
      if (this.logWatch.hasCried) this.hit('and the monitor cries');
      await this.payouts?.settle();
      this.faults.push(...((await this.leavers?.judge(witness.reader)) ?? []));
      this.faults.push(...(await judgeAll(witness)));
      const { gifts, activityIds, system } = this;
      if (gifts) this.faults.push(...(await gifts.judge(witness.reader, activityIds, system.services)));
      const left = await this.payouts?.judge();
      this.faults.push(...(left?.faults ?? []));
      const verdicts = await Promise.all(this.eachRain(witness).map((rain) => this.judgeEnd(rain)));
      const sum = (figure: (verdict: RoundVerdict) => number) =>
        verdicts.reduce((total, v) => total + figure(v), 0);
      return {
        told: sum((verdict) => verdict.told),
        credited: sum((verdict) => verdict.credited),
        lost: sum((verdict) => verdict.lost),
        paidTwice: sum((verdict) => verdict.paidTwice) + (left?.paidTwice ?? 0),
        paidOut: left?.paidOut ?? 0,
      };
    });
  }

  private async judgeEnd(witness: Witness): Promise<RoundVerdict> {
    const verdict = await judge(witness, this.voided);
    this.faults.push(...verdict.faults, ...(await judgeClosed(witness)));
    return verdict;
  }

  /** True if both are in the same currency, and both real or both rehearsals. The first rain of a round is always real. */
  private areAlike(one: string, other: string): boolean {
    const isReal = (id: string) => id === this.activityId || !this.terms.rehearses;
    return isReal(one) === isReal(other) && this.currencies.get(one) === this.currencies.get(other);
  }

  /**
   * Returns the witness for each activity of the round. Only the first activity got more packets. Real rains and
   * rehearsals share neither wallets nor limits.
   */
  private eachRain(witness: Witness): Witness[] {
    const { activityIds } = this;
    return activityIds.map((activityId, i) => ({
      ...witness,
      activityId,
      parts: this.partCounts[i]!,
      besideIds: activityIds.filter((id) => id !== activityId && this.areAlike(id, activityId)),
      formerIds: this.formerIds.filter((_, i) =>
        this.areAlike(activityIds[i % activityIds.length]!, activityId),
      ),
      committed: this.committedOf(activityId),
      currency: this.currencies.get(activityId) ?? witness.currency,
      lastPacketsAtMs: i === 0 ? witness.lastPacketsAtMs : 0,
      rotatedAtMs: i === 0 ? witness.rotatedAtMs : undefined,
      plan: this.paces.get(activityId),
      added: i === 0 ? this.added : [],
    }));
  }

  /** Another version may add packets without announcing them. */
  private committedOf(activityId: string): readonly Committed[] {
    const mustBeKnown = !this.kind.amnesia && !this.kind.needsOtherVersion && !this.kind.olderBeside;
    return mustBeKnown ? this.committed.of(activityId) : [];
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

  /** Declares the claims of poisoned users void, so that their packets go to other users. */
  private async declareVoid(witness: Witness): Promise<void> {
    const { reader } = witness;
    const letters = await reader.openLetters(this.activityId);
    const reason = 'poisoned';
    this.added.push({ atMs: Date.now(), count: letters.length });
    const voiding = letters.map(({ id }) => this.operator.post(`/v1/dead-letters/${id}/void`, { reason }));
    const added = this.committed.during(this.activityId, Promise.all(voiding));
    await Promise.all([added, this.kind.strike(this)]);
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

  /** Users who ask after the end get the same answers as before. */
  private async lateTaps(): Promise<void> {
    for (const userId of this.chance.shuffle(this.userIds).slice(0, LATE_TAPS))
      for (const activityId of this.activityIds) await this.crowd.ask('tapUntilFinal', activityId, userId);
  }

  private async closeUnderFire(): Promise<void> {
    const { release, show } = await this.withWitness(async ({ reader }) => ({
      release: await this.held.someToRelease(reader, this.activityIds),
      show: await this.gifts?.toShow(reader, this.activityIds),
    }));
    const strike = this.plan.strikesTwice ? this.kind.strike(this) : undefined;
    await Promise.all([this.close(), release(), show?.(), strike]);
    await this.mend();
  }

  /** Waits within a limit until nothing is under way. It is a fault if something still is. */
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
    const forgets = this.kind.amnesia === true;
    for (const [i, id] of this.activityIds.entries()) {
      const rain = { id, parts: this.partCounts[i]!, packets: counts[i]!, forgets };
      const unrest = wanted === 'open' ? await notYetOpen(reader, rain) : await notYetClosed(reader, id);
      if (unrest) return unrest;
    }
    return undefined;
  }

  private async withWitness<T>(work: (witness: Witness) => Promise<T>): Promise<T> {
    const reader = await EngineReader.open(this.system);
    const userIds = [this.probeId, ...this.userIds];
    const { lastPacketsAtMs } = this;
    const noticedMs = this.terms.limit ? NOTICED_WITHIN_MS : 0;
    try {
      return await work({
        reader,
        log: this.crowd.log,
        monitor: this.system.redisSide.monitor,
        stepsClock: this.kind.stepsClock === true,
        activityId: this.activityId,
        parts: this.parts,
        besideIds: this.besideIds,
        formerIds: this.formerIds,
        userIds,
        forgiven: this.forgiven.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + noticedMs })),
        knowsAll: this.kind.amnesia !== true,
        committed: this.committedOf(this.activityId),
        lastPacketsAtMs,
        terms: this.terms,
        currency: this.gifts?.currency ?? reader.currency,
        stockMinor: this.gifts?.stockMinor,
        plan: this.paces.get(this.activityId),
        added: this.added,
        strangerIds: [...this.strangers.keys()],
        outsiderIds: this.outsiderIds,
        rotatedAtMs: this.rotatedAtMs,
        released: this.held.released,
      });
    } finally {
      await reader.close();
    }
  }
}

interface OpenRain extends Dealt {
  readonly packets: number;
  /** True if Redis may have forgotten some of its data. */
  readonly forgets: boolean;
}

async function notYetOpen(reader: EngineReader, rain: OpenRain): Promise<string | undefined> {
  const { status, packetsLeft, held } = await reader.standing(rain);
  if (status !== 'open') return `the activity is ${status ?? 'missing'} in Redis`;
  if (packetsLeft + held !== rain.packets)
    return `${packetsLeft} packets left and ${held} held are not ${rain.packets}`;
  const waiting = await reader.waiting(rain.id);
  if (waiting === 0) return undefined;
  // Forgotten packets come back to their own part; waiting users are served from the first part.
  const free = rain.forgets ? await reader.leftForWaiting(rain.id) : packetsLeft;
  return free > 0 ? `${waiting} wait, and ${free} packets are free` : undefined;
}

async function notYetClosed(reader: EngineReader, activityId: string): Promise<string | undefined> {
  const { status } = await reader.activity(activityId);
  return status === 'closed' ? undefined : `the activity is ${status}`;
}
