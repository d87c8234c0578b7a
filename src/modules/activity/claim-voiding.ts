import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newSeed, PACKET_COUNT_MAX, TOTAL_MINOR_MAX } from '../../../libs/split';
import { DeadLetterRepository, deadLetterNotFound, deadLetterNotOpen, LedgerRepository } from '../wallet';
import type { Activity } from './activity';
import { ActivityRepository } from './activity.repository';
import { TopUpRepository } from './top-up.repository';

export interface VoidedClaim {
  readonly claimId: string;
  readonly activityId: string;
  readonly userId: string;
  readonly amountMinor: bigint;
  /** The letter's, before. */
  readonly status: string;
  /** The packet that can be drawn instead; undefined when the activity has ended, or is as large as one can be. */
  readonly replacementNo?: number;
}

/**
 * Declares a claim void whose settlement gave up, in the caller's transaction. The claim stays, and with it the packet and
 * the user of it: nobody who was told of a win is ever told of another one. What becomes free is the money. It goes back
 * to the sponsor, and while the activity goes on it pays at once for one more packet of the same amount, which is loaded
 * and drawn, or assigned to whoever waits, like any other packet that was added ({@link ActivityTopUp}).
 *
 * Once only: the letter's row is locked, and neither replay nor a second void finds it open after this. Behind that stand
 * the rules of the ledger (one return a claim) and of `top_up` (one replacement a claim).
 */
@Injectable()
export class ClaimVoiding {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly topUps: TopUpRepository,
    private readonly letters: DeadLetterRepository,
    private readonly ledger: LedgerRepository,
  ) {}

  /** @throws deadLetterNotFound, deadLetterNotOpen, balanceLimitReached */
  async declareVoid(tx: EntityManager, letterId: string, reason: string): Promise<VoidedClaim> {
    const letter = await this.letters.lock(tx, letterId);
    if (!letter) throw deadLetterNotFound(`There is no dead letter ${letterId}.`);
    const { claimId, activityId, userId, amountMinor, status } = letter;
    if (!(await this.letters.declareVoid(tx, letterId, reason)))
      throw deadLetterNotOpen(`Dead letter ${letterId} was ${status} already.`);

    await this.topUps.lock(tx, activityId);
    const activity = (await this.activities.find(activityId, tx))!;
    const topUpId = await this.replace(tx, activity, claimId, amountMinor);
    const { escrowAccountId, sponsorAccountId } = activity;
    await this.ledger.transfer(tx, {
      ...{ kind: 'void', sourceId: claimId, activityId, amountMinor },
      ...{ debitAccountId: escrowAccountId, creditAccountId: sponsorAccountId },
    });
    if (topUpId !== undefined)
      await this.ledger.transfer(tx, {
        ...{ kind: 'top-up', sourceId: topUpId, activityId, amountMinor },
        ...{ debitAccountId: sponsorAccountId, creditAccountId: escrowAccountId },
      });
    const replacementNo = topUpId === undefined ? undefined : activity.packetCount + 1;
    return { claimId, activityId, userId, amountMinor, status, replacementNo };
  }

  /** The id of the top-up. Takes the activity's row before any account, as whoever closes it does. */
  private async replace(
    tx: EntityManager,
    { id, packetCount, totalMinor }: Activity,
    claimId: string,
    amountMinor: bigint,
  ): Promise<string | undefined> {
    if (packetCount >= PACKET_COUNT_MAX || totalMinor + amountMinor > TOTAL_MINOR_MAX) return undefined;
    const firstNo = packetCount + 1;
    const topUp = await this.topUps.insert(tx, {
      ...{ activityId: id, amountMinor, packetCount: 1, firstNo, replacesClaimId: claimId },
      ...{ split: { kind: 'equal' }, seed: newSeed() },
    });
    if (topUp) await this.activities.insertPackets(tx, id, BigInt64Array.of(amountMinor), firstNo);
    return topUp?.id;
  }
}
