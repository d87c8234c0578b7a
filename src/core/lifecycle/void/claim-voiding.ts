import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSeed, PACKET_COUNT_MAX, TOTAL_MINOR_MAX } from '../../../../libs/split';
import { type Activity, ActivityRepository } from '../../activity';
import { Currencies, type KnownCurrency } from '../../currency';
import {
  DeadLetterRepository,
  type DeadLetterRow,
  deadLetterNotFound,
  deadLetterNotOpen,
  LedgerRepository,
} from '../../wallet';
import { TopUpRepository } from '../add/top-up.repository';
import { PacketBatches } from '../packet-batches';

const EQUAL = { kind: 'equal' } as const;

export interface VoidedClaim {
  /** The state before the change. */
  readonly letter: DeadLetterRow;
  /** Undefined if the activity has ended, is as large as allowed, or gives what its units stand for. */
  readonly replacement?: Replacement;
}

export interface Replacement {
  readonly topUpId: string;
  readonly no: number;
  /** The state before the change. */
  readonly activity: Activity;
}

/**
 * Declares void a claim whose settlement gave up, in the caller's transaction. The claim stays, and with it
 * its packet and its user: a user who was answered with one win is never answered with another. The money
 * goes back to the sponsor. If the activity is still open, the money pays at once for one more packet of the
 * same amount, which is drawn, or assigned to a user who waits, like any other packet that was added ({@link
 * ActivityTopUp}). A unit that stands for something leaves the ledger instead, and no packet replaces it:
 * what it stands for was promised to that user, and is given to nobody else.
 *
 * This happens only once: the letter's row is locked, and neither replay nor a second void finds it
 * open after this. Constraints guarantee it as well: a void letter never changes, the ledger takes
 * one return per claim, and `top_up` one replacement per claim.
 */
@Injectable()
export class ClaimVoiding {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly topUps: TopUpRepository,
    private readonly letters: DeadLetterRepository,
    private readonly ledger: LedgerRepository,
    private readonly batches: PacketBatches,
    private readonly currencies: Currencies,
  ) {}

  /**
   * Locks the letter until this transaction ends.
   *
   * @param status the letter's status, as the caller has seen it
   * @throws deadLetterNotFound, deadLetterNotOpen
   */
  async lockLetter(tx: EntityManager, letterId: string, status: 'open' | 'resolved'): Promise<DeadLetterRow> {
    const letter = await this.letters.lock(tx, letterId);
    if (!letter) throw deadLetterNotFound(`There is no dead letter ${letterId}.`);
    if (letter.status !== status)
      throw deadLetterNotOpen(`Dead letter ${letterId} is ${letter.status}, not ${status}.`);
    return letter;
  }

  /**
   * @param status as for `lockLetter`
   * @throws deadLetterNotFound, deadLetterNotOpen, balanceLimitReached
   */
  async declareVoid(
    tx: EntityManager,
    letterId: string,
    reason: string,
    status: 'open' | 'resolved' = 'open',
  ): Promise<VoidedClaim> {
    const letter = await this.lockLetter(tx, letterId, status);
    await this.letters.declareVoid(tx, letterId, reason);

    const { activityId, claimId: sourceId, amountMinor } = letter;
    await this.topUps.lock(tx, activityId);
    const activity = (await this.activities.findActivity(activityId, tx))!;
    const currency = await this.currencies.of(activity.currency);
    const replacement = currency.isPromise ? undefined : await this.replace(tx, activity, currency, letter);
    const { escrowAccountId, sponsorAccountId } = activity;
    await this.ledger.transfer(tx, {
      kind: 'void',
      sourceId,
      activityId,
      amountMinor,
      debitAccountId: escrowAccountId,
      creditAccountId: currency.isPromise ? await this.ledger.fundingAccount(tx, currency) : sponsorAccountId,
    });
    if (replacement)
      await this.ledger.transfer(tx, {
        kind: 'top-up',
        sourceId: replacement.topUpId,
        activityId,
        amountMinor,
        debitAccountId: sponsorAccountId,
        creditAccountId: escrowAccountId,
      });
    return { letter, replacement };
  }

  /** Locks the activity's row before any account, as a close does. */
  private async replace(
    tx: EntityManager,
    activity: Activity,
    currency: KnownCurrency,
    { claimId, amountMinor }: DeadLetterRow,
  ): Promise<Replacement | undefined> {
    const { id, sponsorId, packetCount, totalMinor, closesAt, readAt } = activity;
    const isFull = packetCount >= PACKET_COUNT_MAX || totalMinor + amountMinor > TOTAL_MINOR_MAX;
    if (isFull || closesAt <= readAt) return undefined;
    const [no, seed] = [packetCount + 1, newSeed()];
    const topUp = await this.topUps.insert(tx, {
      activityId: id,
      amountMinor,
      packetCount: 1,
      firstNo: no,
      replacesClaimId: claimId,
      split: EQUAL,
      seed,
      parts: 1,
    });
    if (!topUp) return undefined;
    const terms = { totalMinor: amountMinor, packetCount: 1, plan: EQUAL };
    await this.batches.write(tx, { activityId: id, sponsorId, firstNo: no, seed, terms, currency });
    return { topUpId: topUp.id, no, activity };
  }
}
