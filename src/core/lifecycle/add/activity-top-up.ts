import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Fault, must } from '../../../../libs/problem';
import type { Pace } from '../../../../libs/pace';
import { PACKETS_PER_PART_MIN, WaitingLists } from '../../../../libs/redis-scripts';
import {
  newSeed,
  PACKET_COUNT_MAX,
  packetBounds,
  type SplitTerms,
  TOTAL_MINOR_MAX,
} from '../../../../libs/split';
import { type Caller, invalidField } from '../../../platform/http';
import { type Activity, activityEnded, ActivityRepository } from '../../activity';
import { Backings, Currencies } from '../../currency';
import { CreditOutlet } from '../../outlet';
import { LedgerRepository } from '../../wallet';
import { oneAtATime } from '../large-writes';
import { addedPacePlan } from '../pace-plan';
import { PacketBatches } from '../packet-batches';
import { splitTerms } from '../split-plan';
import { SponsorBounds } from '../sponsor-bounds';
import type { TopUpBody } from './top-up.dto';
import { TopUpRepository, type TopUpRow } from './top-up.repository';

const RANDOM = { kind: 'random' } as const;

export interface Added {
  readonly topUp: TopUpRow;
  /** The activity before the change. */
  readonly activity: Activity;
  readonly terms: SplitTerms;
  readonly pace?: Pace;
}

/**
 * Adds money and packets to an activity that has not ended, in the caller's transaction. After the
 * commit the packets may be loaded (`ActivityLoader.extend`).
 *
 * A close waits for the activity's row while it is locked, so it is locked late. The packets, which
 * may be a million, are written before that, under a lock that only top-ups take and that keeps
 * their numbers from being given twice. From then on the order is that of a close: the activity,
 * the sponsor's wallet, the escrow. Confirmations neither wait for a top-up nor keep it waiting.
 *
 * If a close commits first, the statement that takes the row sees it, and nothing is added. A later
 * close waits for the row, and refunds the added money as well.
 */
@Injectable()
export class ActivityTopUp {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly topUps: TopUpRepository,
    private readonly ledger: LedgerRepository,
    private readonly outlet: CreditOutlet,
    private readonly bounds: SponsorBounds,
    private readonly batches: PacketBatches,
    private readonly waitingLists: WaitingLists,
    private readonly currencies: Currencies,
    private readonly backings: Backings,
  ) {}

  /**
   * @param sourceId of the request: the key of the deposit, if its currency makes units
   * @throws activityNotFound, activityEnded, Problem `request.invalid` naming a field,
   * tooManyPackets, insufficientFunds, budgetExceeded, walletFrozen, the problems of the outlet and the backing
   */
  async add(
    tx: EntityManager,
    caller: Caller,
    id: string,
    body: TopUpBody,
    sourceId?: string,
  ): Promise<Added> {
    await this.requireGoingOn(tx, caller, id);
    await this.topUps.lock(tx, id);
    const activity = await this.requireGoingOn(tx, caller, id);
    const terms = await this.terms(tx, body, activity);
    await oneAtATime(tx, activity.sponsorId, terms.packetCount);
    const currency = await this.currencies.of(activity.currency);
    const [walletId, amountMinor] = [activity.sponsorAccountId, terms.totalMinor];
    const added = { caller, walletId, currency, terms, packetsBefore: activity.packetCount };
    await this.bounds.requireRoom(tx, added);
    await this.ledger.requireSponsor(tx, walletId, amountMinor, this.backings.supplies(currency));
    const pace = addedPacePlan(body, activity);
    const topUp = await this.write(tx, activity, { terms, pace, split: body.split ?? RANDOM });
    await this.backings.supply(tx, { currency, walletId, amountMinor, sourceId });
    await this.ledger.transferFromSponsor(tx, {
      kind: 'top-up',
      sourceId: topUp.id,
      activityId: id,
      debitAccountId: walletId,
      creditAccountId: activity.escrowAccountId,
      amountMinor,
    });
    const [firstNo, { packetCount }] = [activity.packetCount + 1, terms];
    await this.backings.reserve(tx, { activityId: id, currency, firstNo, packetCount });
    await this.bounds.take(tx, added);
    return { topUp, activity, terms, pace };
  }

  /**
   * Returns the terms of an addition, without looking at the wallet of the sponsor.
   *
   * @throws activityNotFound, activityEnded, Problem `request.invalid` naming a field
   */
  async plan(tx: EntityManager, caller: Caller, id: string, body: TopUpBody): Promise<SplitTerms> {
    const activity = await this.requireGoingOn(tx, caller, id);
    addedPacePlan(body, activity);
    return this.terms(tx, body, activity);
  }

  /** A top-up that is bound to fail neither waits for the lock nor keeps others waiting. */
  private async requireGoingOn(tx: EntityManager, caller: Caller, id: string): Promise<Activity> {
    const activity = await this.activities.managedBy(caller, id, tx);
    const goesOn = activity.status === 'active' && activity.ending === null;
    if (!goesOn || activity.closesAt <= activity.readAt) throw ended(id);
    return activity;
  }

  private async terms(
    tx: EntityManager,
    { amount, currency: code, packetCount, split = RANDOM, payoutDays: days }: TopUpBody,
    activity: Activity,
  ): Promise<SplitTerms> {
    const currency = await this.currencies.of(activity.currency);
    this.currencies.requireNamed({ currency: code }, currency, 'activity');
    const terms = splitTerms({ amount, amountField: 'amount', packetCount, split }, currency);
    const { sponsorId } = activity;
    await this.backings.requireGivable(tx, {
      ...terms,
      currency,
      sponsorId,
      splitKind: split.kind,
      amountField: 'amount',
    });
    const packetsMax = PACKET_COUNT_MAX - activity.packetCount;
    const amountMax = TOTAL_MINOR_MAX - activity.totalMinor;
    if (packetCount > packetsMax) throw invalidField('packetCount', atMostMore(packetsMax));
    if (terms.totalMinor > amountMax) throw invalidField('amount', atMostMore(currency.format(amountMax)));
    const { outletId, totalMinor: agreedMinor } = activity;
    const credits = { ...packetBounds(terms), totalMinor: agreedMinor + terms.totalMinor, currency };
    await this.outlet.requireAddable(tx, outletId, credits, agreedMinor, days);
    return terms;
  }

  private async write(
    tx: EntityManager,
    { id, sponsorId, currency: code, packetCount, parts }: Activity,
    { terms, pace, split }: Pick<Added, 'terms' | 'pace'> & { readonly split: object },
  ): Promise<TopUpRow> {
    const seed = newSeed();
    const firstNo = packetCount + 1;
    const currency = await this.currencies.of(code);
    await this.batches.write(tx, { activityId: id, sponsorId, firstNo, seed, terms, currency, pace });
    const topUp = await this.topUps.insert(tx, {
      activityId: id,
      amountMinor: terms.totalMinor,
      packetCount: terms.packetCount,
      firstNo,
      split,
      seed,
      parts: (await this.isDealt(id, parts, terms, pace)) ? parts : 1,
    });
    if (!topUp) throw ended(id);
    return topUp;
  }

  /**
   * True if the added packets are dealt over all parts. A few packets go to part 0, unless a plan would hold
   * users up there; all go there while users wait, or while Redis cannot say, because users who wait are
   * served from part 0 first.
   */
  private async isDealt(
    id: string,
    parts: number,
    { packetCount }: SplitTerms,
    pace?: Pace,
  ): Promise<boolean> {
    if (parts === 1 || (!pace && packetCount < parts * PACKETS_PER_PART_MIN)) return false;
    return this.waitingLists.length(id).then(
      (length) => length === 0,
      () => false,
    );
  }
}

const atMostMore = (maximum: number | string): Fault =>
  must.beAtMost(maximum, `must be at most ${maximum} more in this activity`);

const ended = (id: string): Error => activityEnded(`Activity ${id} has ended; nothing can be added to it.`);
