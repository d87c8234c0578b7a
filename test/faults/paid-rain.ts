import { setTimeout as pause } from 'node:timers/promises';
import { closedLoop, connections, request } from '../bench/load';
import { waitFor } from '../harness/engines';
import { tokenOf } from './api-call';
import { EngineReader } from './engine-reader';
import { type TwoOperators, twoOperators } from './operator';
import { Payouts } from './payouts';
import type { Lie } from './receiver-files';
import { onOwnSystem, type ProofPlan } from './proof';
import type { System } from './system';

/** The ways in which the receiver fails, each for the same share of the payments. */
const LIES: readonly Lie[] = [
  'error-after-effect',
  'error-before-effect',
  'twice',
  'late-effect',
  'new-code-after-effect',
  'busy',
  'wrong-amount',
];
const SHARE_EACH = 0.05;

/** Payments are a minute late, and are not considered missing before that. */
const HABITS = {
  lies: LIES,
  share: LIES.length * SHARE_EACH,
  lateMs: [55_000, 65_000],
  wrongAmountsMax: Number.MAX_SAFE_INTEGER,
} as const;
const QUARANTINE_SECONDS = 120;

const DAY_MS = 86_400_000;
const KILLS = 5;
const DOWN_MS = 500;
const CONNECTIONS = 64;
const CREDITED_WITHIN_MS = 600_000;
const STANDS_AFTER_MS = 600_000;

export interface PaidRainPlan extends ProofPlan {
  readonly winners: number;
  readonly perSecond: number;
  /** The daily limit is so small that all payouts take this many days. */
  readonly days: number;
}

/**
 * One large rain, all of which is paid out to a receiver that fails in every way, while the workers and the receiver
 * are killed. In the end each user must have been paid once, nothing may be left on the way, and the findings must be
 * exactly those that the receiver has caused. Returns the faults.
 */
export const paidRain = (plan: PaidRainPlan): Promise<string[]> =>
  onOwnSystem(plan, (system) => new PaidRain(system, plan).play());

class PaidRain {
  private readonly userIds: readonly string[];
  private readonly operators: TwoOperators;
  private readonly maxMinor: number;
  private activityId = '';
  private kills = 0;
  private midnights = 0;

  constructor(
    private readonly system: System,
    private readonly plan: PaidRainPlan,
  ) {
    this.operators = twoOperators(system.apiUrls);
    this.userIds = Array.from({ length: plan.winners }, (_, i) => `winner-${i}`);
    this.maxMinor = Math.ceil(plan.winners / plan.days) * 100;
  }

  async play(): Promise<string[]> {
    const { system, plan } = this;
    const receiver = await system.receiver();
    const perDay = plan.days === 1 ? undefined : (this.maxMinor / 100).toFixed(2);
    const payouts = await Payouts.open(
      system,
      this.operators,
      { activityIds: () => [this.activityId], userIds: this.userIds },
      {
        perSecond: plan.perSecond,
        inFlight: 400,
        timeoutMs: 5_000,
        quarantineSeconds: QUARANTINE_SECONDS,
        perDay,
      },
    );
    receiver.files.habits = { ...HABITS, words: String(plan.seed) };
    this.activityId = await this.createActivity(payouts.channelId);
    await this.win();
    plan.say(`${plan.winners} winners are credited`);
    await payouts.untilNothingIsOpen(STANDS_AFTER_MS, () => this.goOn(payouts));
    const { faults, paidOut, paidTwice } = await payouts.judge();
    plan.say(
      `paid ${paidOut}, twice ${paidTwice}, ${payouts.findings}, each side killed ${this.kills} times`,
    );
    if (perDay !== undefined) plan.say(`days of ${perDay}: ${this.midnights + 1}`);
    return [...faults, ...(await this.broken()), ...this.missed(paidOut)];
  }

  private async createActivity(channelId: string): Promise<string> {
    const { winners } = this.plan;
    const totalAmount = `${winners}.00`;
    await this.operators.one.post('/v1/wallets/sponsor/deposits', { amount: totalAmount });
    const payout = { channelId, days: this.plan.days };
    const terms = { name: 'Paid rain', sponsorId: 'sponsor', totalAmount, packetCount: winners, payout };
    return this.operators.one.createRain(terms, DAY_MS);
  }

  /** Everyone taps until all are credited. A tap that meets a busy system is repeated. */
  private async win(): Promise<void> {
    const ports = this.system.apis.map(({ url }) => Number(new URL(url).port));
    const path = `/v1/activities/${this.activityId}/grabs`;
    const taps = this.userIds.map((userId) => request('POST', path, tokenOf(userId)));
    const clients = await connections(CONNECTIONS, ports);
    const isCredited = async () => {
      const [row] = await this.system.postgres.sql<{ credits: number }>(
        `select count(*)::int as credits from payout_credit`,
      );
      if (row!.credits === taps.length) return true;
      await closedLoop(clients, taps);
      return false;
    };
    await waitFor(isCredited, { what: 'all winners to be credited', timeoutMs: CREDITED_WITHIN_MS });
    for (const client of clients) client.close();
  }

  /** Kills both sides whenever another sixth is paid, and ends the day once nothing more may be paid on it. */
  private async goOn(payouts: Payouts): Promise<void> {
    const { system, plan } = this;
    const receiver = await system.receiver();
    const paid = payouts.paid;
    if (this.kills < KILLS && paid >= ((this.kills + 1) * plan.winners) / (KILLS + 1)) {
      this.kills += 1;
      await Promise.all([...system.workers.map((worker) => worker.kill()), receiver.kill()]);
      await pause(DOWN_MS);
      await receiver.revive();
      await system.startServices();
      plan.say(`${paid} are paid, and both sides were killed`);
    }
    if (plan.days > 1 && (await this.isDayOver())) {
      this.midnights += 1;
      await system.postgres.sql(`update payout_pace set day = day - 1`);
    }
  }

  private async isDayOver(): Promise<boolean> {
    const [row] = await this.system.postgres.sql<{ over: boolean }>(
      `select day_minor >= ${this.maxMinor} and not exists (select from payout where ended_at is null and state <> 'reserved')
                and exists (select from payout where ended_at is null) as over from payout_pace`,
    );
    return row?.over ?? false;
  }

  private async broken(): Promise<string[]> {
    const reader = await EngineReader.open(this.system);
    return reader.brokenInvariants().finally(() => reader.close());
  }

  private missed(paidOut: number): string[] {
    const { winners, days } = this.plan;
    return [
      ...(paidOut === winners ? [] : [`${paidOut} of ${winners} were paid`]),
      ...(this.kills === KILLS ? [] : [`both sides were killed ${this.kills} times`]),
      ...(this.midnights === days - 1 ? [] : [`it took ${this.midnights + 1} days instead of ${days}`]),
    ];
  }
}
