import { setTimeout as pause } from 'node:timers/promises';
import { call, tokenOf } from './api-call';
import { LostPayments, minorOf } from './lost-payments';
import type { TwoOperators } from './operator';
import type { Receiver } from './receiver';
import type { Entry } from './receiver-files';
import type { System } from './system';

const LOOK_EVERY_MS = 300;
/** Above the quarantine, and above the longest pause of an open circuit here. */
const ENDED_WITHIN_MS = 120_000;

/** Calls time out early, so that a round is short. Late answers come after the time-out (receiver-main.ts). */
const PROFILE = {
  smallest: '0.01',
  perSecond: 2_000,
  inFlight: 40,
  timeoutMs: 1_000,
  quarantineSeconds: 5,
  keyLifetimeSeconds: 3_600,
};

/** Looking takes at most this share of the time, however many payouts there are. */
const LOOKS_SHARE = 0.1;

/** The rains of a round so far, and their users, who take part in no other round. */
export interface PaidRound {
  activityIds(): readonly string[];
  readonly userIds: readonly string[];
  /** The clock of Postgres is wrong for a while, so nobody knows the age of a key that is used in the meantime. */
  readonly stepsClock?: boolean;
}

interface OpenFinding {
  readonly id: string;
  readonly payoutId: string;
  readonly kind: string;
  readonly state: string;
  readonly hasEnded: boolean;
  readonly lastSentAt: Date;
  /** Its key is too old, or of unknown age, so it will never be sent again; and no call can still pay it. */
  readonly isLost: boolean;
}

/** Watches from outside the money that leaves through a round's channel: in Postgres and in the receiver's book. */
export class Payouts {
  readonly faults: string[] = [];
  private findingsEnded = 0;
  private readonly lost: LostPayments;
  private readonly ended = new AbortController();
  private readonly looking: Promise<void>;

  private constructor(
    private readonly system: System,
    private readonly receiver: Receiver,
    private readonly operators: TwoOperators,
    readonly channelId: string,
    private readonly round: PaidRound,
  ) {
    this.lost = new LostPayments(system, operators, channelId);
    this.looking = this.keepLooking();
  }

  /** Opens a channel to the receiver. */
  static async open(
    system: System,
    operators: TwoOperators,
    round: PaidRound,
    profile: object = {},
  ): Promise<Payouts> {
    const receiver = await system.receiver();
    const body = { name: 'Faults', url: receiver.url, profile: { ...PROFILE, ...profile } };
    const { id } = await operators.one.post('/v1/payout-channels', body);
    return new Payouts(system, receiver, operators, id, round);
  }

  /** Waits until nothing is on its way, and ends the findings that the receiver caused. */
  async settle(): Promise<void> {
    this.receiver.fromSenders.heal();
    await this.receiver.revive();
    this.receiver.beHonest();
    await this.untilNothingIsOpen(ENDED_WITHIN_MS);
  }

  /** Ends findings until nothing is open. If nothing moves for this long, that is a fault. */
  async untilNothingIsOpen(withinMs: number, meanwhile = async () => {}): Promise<void> {
    let last: string | undefined;
    let movedAt = performance.now();
    for (;;) {
      await meanwhile();
      await this.system.reviveTheDead();
      const open = await this.open();
      await this.endFindings();
      await this.endLostCalls();
      if (open === undefined || this.faults.length > 0) return;
      if (open !== last) movedAt = performance.now();
      last = open;
      if (performance.now() - movedAt > withinMs) return void this.faults.push(`for ${withinMs} ms ${open}`);
      await pause(LOOK_EVERY_MS);
    }
  }

  /** Number of payments in the book of the receiver. */
  get paid(): number {
    return this.book.filter(({ state }) => state === 'paid').length;
  }

  get findings(): string {
    return `findings ${this.findingsEnded}, planted ${this.book.filter(isWrong).length}`;
  }

  /** Stops looking, and compares the books. */
  async judge(): Promise<{ faults: string[]; paidOut: number; paidTwice: number }> {
    this.ended.abort();
    await this.looking;
    await this.look();
    const { book } = this;
    const effects = book.filter(({ state }) => state === 'paid');
    const times = new Map<string, number>();
    for (const { payoutId } of effects) times.set(payoutId, (times.get(payoutId) ?? 0) + 1);
    const twice = [...times].filter(([, count]) => count > 1);
    this.faults.push(
      ...twice.map(([payoutId, count]) => `the receiver has paid ${payoutId} ${count} times`),
      ...(await this.wrongSums(effects)),
      ...(await this.wrongFindings(book)),
    );
    return { faults: this.faults, paidOut: times.size, paidTwice: twice.length };
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.looking;
    await this.receiver.revive();
    this.receiver.fromSenders.heal();
    this.receiver.beHonest();
    // A system may have twenty channels; one that is in use stays.
    const [api] = this.system.apis;
    await call(
      api!.url,
      tokenOf('operator', 'operator'),
      'DELETE',
      `/v1/payout-channels/${this.channelId}`,
    ).catch(() => undefined);
  }

  /** Everything that a user has won, except what is held, must be in the wallet or, once, at the receiver. */
  private async wrongSums(effects: readonly Entry[]): Promise<string[]> {
    const rows = await this.system.postgres.sql<{ userId: string; owed: string; wallet: string }>(
      `select user_id as "userId", sum(amount_minor) as owed,
              coalesce((select balance_minor from account where kind = 'wallet' and owner_id = user_id), 0) as wallet
         from claim
        where activity_id = any($1)
          and not exists (select from dead_letter where claim_id = claim.id and status in ('open', 'void'))
        group by user_id`,
      [this.round.activityIds()],
    );
    const outside = new Map<string, bigint>();
    for (const { userId, amount } of effects)
      outside.set(userId, (outside.get(userId) ?? 0n) + minorOf(amount));
    return rows.flatMap(({ userId, owed, wallet }) => {
      const has = outside.get(userId) ?? 0n;
      if (has + BigInt(wallet) === BigInt(owed)) return [];
      return [`${userId} won ${owed}, and has ${has} at the receiver and ${wallet} in the wallet`];
    });
  }

  private async wrongFindings(book: readonly Entry[]): Promise<string[]> {
    const found = await this.system.postgres.sql<{ payoutId: string }>(
      `select distinct payout_id as "payoutId" from payout_finding where channel_id = $1`,
      [this.channelId],
    );
    const foundIds = new Set(found.map(({ payoutId }) => payoutId));
    const planted = book.filter(isWrong).map(({ payoutId }) => idOf(payoutId));
    return planted.filter((id) => !foundIds.has(id)).map((id) => `the lie about payout ${id} was not found`);
  }

  /** Keeps looking. Postgres may be down at times. */
  private async keepLooking(): Promise<void> {
    while (!this.ended.signal.aborted) {
      const began = performance.now();
      await this.look().catch(() => undefined);
      const tookMs = performance.now() - began;
      await pause(Math.max(LOOK_EVERY_MS, tookMs / LOOKS_SHARE), undefined, {
        signal: this.ended.signal,
      }).catch(() => undefined);
    }
  }

  /**
   * Money must be in the wallet, on its way, or outside, and is never given back once the receiver has paid it.
   */
  private async look(): Promise<void> {
    const [row] = await this.system.postgres.sql<{ missing: string }>(
      `with mine as (select distinct user_id from claim where activity_id = any($1))
       select (select coalesce(sum(amount_minor), 0) from transfer where kind = 'credit' and activity_id = any($1))
            - (select coalesce(sum(balance_minor), 0) from account join mine on owner_id = user_id where kind = 'wallet')
            - (select balance_minor from account where kind = 'outbound' and owner_id = $2)
            - (select coalesce(sum(case kind when 'payout-paid' then amount_minor else -amount_minor end), 0)
                 from transfer where kind in ('payout-paid', 'payout-returned')
                  and source_id in (select id from payout where channel_id = $2::bigint)) as missing`,
      [this.round.activityIds(), this.channelId],
    );
    const missing =
      row!.missing === '0' ? [] : [`${row!.missing} is neither in wallets, nor on its way, nor outside`];
    const back = await this.givenBack();
    const wrongly = this.book
      .filter(({ state }) => state === 'paid')
      .filter(({ payoutId, userId, amount }) => back.has(`${idOf(payoutId)} ${userId} ${minorOf(amount)}`))
      .map(({ payoutId }) => `${payoutId} was given back, and the receiver has paid it`);
    for (const fault of [...missing, ...wrongly]) if (!this.faults.includes(fault)) this.faults.push(fault);
  }

  private get book(): Entry[] {
    const userIds = new Set(this.round.userIds);
    return this.receiver.files.entries().filter(({ userId }) => userIds.has(userId));
  }

  /** Names payouts by id, user and amount: after Postgres has lost a payout, another may get its id, even for the same user. */
  private async givenBack(): Promise<Set<string>> {
    const rows = await this.system.postgres.sql<{ id: string; userId: string; minor: string }>(
      `select id, user_id as "userId", amount_minor as minor from payout where channel_id = $1 and state = 'refused'`,
      [this.channelId],
    );
    return new Set(rows.map(({ id, userId, minor }) => `${id} ${userId} ${minor}`));
  }

  /** Says what has not left yet, if anything. */
  private async open(): Promise<string | undefined> {
    const [row] = await this.system.postgres.sql<{ unsent: string; outbound: string }>(
      `select (select count(*) from payout_credit where channel_id = $1 and payout_id is null and released_at is null)
                as unsent,
              (select balance_minor from account where kind = 'outbound' and owner_id = $1::text) as outbound`,
      [this.channelId],
    );
    const { unsent, outbound } = row!;
    return unsent === '0' && outbound === '0'
      ? undefined
      : `${unsent} credits are unsent, and ${outbound} is on its way`;
  }

  /** Two people look into the receiver's book, and end payouts and their findings accordingly. */
  private async endFindings(): Promise<void> {
    const { one } = this.operators;
    const findings = await this.system.postgres.sql<OpenFinding>(
      `select finding.id, payout_id as "payoutId", kind, state, payout.ended_at is not null as "hasEnded",
              last_sent_at as "lastSentAt",
              first_sent_at + make_interval(secs => $2) <= now()
                and last_sent_at + make_interval(secs => $3) <= now() as "isLost"
         from payout_finding as finding join payout on payout.id = payout_id
        where finding.channel_id = $1 and finding.ended_at is null`,
      [this.channelId, PROFILE.keyLifetimeSeconds, PROFILE.quarantineSeconds],
    );
    if (findings.length === 0) return;
    const wrong = new Set(this.book.filter(isWrong).map(({ payoutId }) => idOf(payoutId)));
    const paid = new Set(
      this.book.filter(({ state }) => state === 'paid').map(({ payoutId }) => idOf(payoutId)),
    );
    const end = async ({ id, payoutId, kind, state, hasEnded, lastSentAt, isLost }: OpenFinding) => {
      const isPlanted = wrong.has(payoutId);
      const isOfClock = !isPlanted && kind === 'key-expired' && this.round.stepsClock === true;
      if (isOfClock && !hasEnded && !isLost) return;
      if (isOfClock && !hasEnded)
        await this.lost.resolve(payoutId, paid.has(payoutId) ? 'paid' : 'refused', lastSentAt);
      else if (!isOfClock && state !== 'paid') await this.lost.resolve(payoutId, 'paid');
      if (!isPlanted && !isOfClock) this.faults.push(`payout ${payoutId}: nobody has planted ${kind}`);
      await one.post(`/v1/payout-findings/${id}/end`, { resolution: 'The receiver was mended.' });
      this.findingsEnded += 1;
    };
    await Promise.all(findings.map(end));
  }

  /**
   * Ends the findings about calls that Postgres has lost, once all payments of the receiver are booked again.
   */
  private async endLostCalls(): Promise<void> {
    const found = await this.system.postgres.sql<{ id: string }>(
      `select id from payout_finding where channel_id = $1 and kind = 'calls-lost' and ended_at is null`,
      [this.channelId],
    );
    if (found.length === 0 || !(await this.lost.book(this.book.filter(({ state }) => state === 'paid'))))
      return;
    for (const { id } of found)
      await this.operators.one.post(`/v1/payout-findings/${id}/end`, { resolution: 'All is booked.' });
  }
}

/** The id of the payout, without the number of the attempt. */
const idOf = (payoutId: string): string => payoutId.split('a')[0]!;

/** True if the receiver reports another amount than it has paid. */
const isWrong = ({ amount, says }: Entry): boolean => amount !== says;
