import { Injectable } from '@nestjs/common';
import { type Standing, Standings } from '../../../libs/redis-scripts';
import { Slots } from '../../../libs/slots';
import { Currency } from '../../platform/config';
import { busy, type Caller } from '../../platform/http';
import { ActivityRepository, rowsArchived } from '../activity';
import { isOnItsWay } from './on-its-way';
import { proofChecks, unclaimedMinor } from './proof';
import { type ActivitySums, ProofRepository } from './proof.repository';
import type { ReconciliationDto } from './reconciliation.dto';

/** Adding up more packets takes long, and holds a connection and a core of Postgres. */
const PACKETS_MANY = 10_000;
const LARGE_AT_ONCE_MAX = 2;

@Injectable()
export class ReconciliationService {
  private readonly large = new Slots(LARGE_AT_ONCE_MAX);

  constructor(
    private readonly activities: ActivityRepository,
    private readonly proofs: ProofRepository,
    private readonly standings: Standings,
    private readonly currency: Currency,
  ) {}

  /** @throws busy, activityArchived, activityNotFound (for neither its sponsor nor staff) */
  async prove(activityId: string, caller: Caller): Promise<ReconciliationDto> {
    const activity = await this.activities.managedBy(caller, activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    if (activity.packetCount <= PACKETS_MANY) return this.proofOf(activityId);
    return this.large.run(
      caller.role,
      () => this.proofOf(activityId),
      () => busy('Other large activities are being proved; try again in a moment.', { retryAfterSeconds: 1 }),
    );
  }

  /** Looks again when Redis does not agree: the activity may have changed between the two looks. */
  private async proofOf(activityId: string): Promise<ReconciliationDto> {
    const proof = await this.lookAt(activityId);
    return proof.redis.agrees || proof.redis.status === 'away' ? proof : this.lookAt(activityId);
  }

  private async lookAt(activityId: string): Promise<ReconciliationDto> {
    const sums = (await this.proofs.sums(activityId))!;
    const checks = proofChecks(sums);
    return {
      activityId,
      currency: this.currency.code,
      ...this.amounts(sums),
      packets: { total: sums.packets, claimed: sums.claims },
      claims: { credited: sums.credited, pending: sums.pending, dead: sums.dead, void: sums.void },
      redis: await this.redisStanding(sums, activityId),
      checks,
      verdict: checks.every((check) => check.holds) ? 'balanced' : 'broken',
    };
  }

  private amounts(sums: ActivitySums) {
    const money = (minor: bigint) => this.currency.format(minor);
    return {
      funded: money(sums.fundedMinor),
      credited: money(sums.creditedMinor),
      pending: money(sums.pendingMinor),
      dead: money(sums.deadMinor),
      void: money(sums.voidMinor),
      refunded: money(sums.refundedMinor),
      unclaimed: money(unclaimedMinor(sums)),
      escrowBalance: money(sums.escrowMinor),
    };
  }

  private async redisStanding(sums: ActivitySums, activityId: string): Promise<ReconciliationDto['redis']> {
    try {
      const standing = await this.standings.whole({ id: activityId, parts: sums.parts });
      const { status = 'missing', packetsLeft, held } = standing;
      return { status, packetsLeft, held, agrees: agrees(sums, standing) };
    } catch {
      return { status: 'away', packetsLeft: null, held: null, agrees: false };
    }
  }
}

/** Redis may hold nothing of an ended activity: its grabs are then not answered from Redis. */
function agrees(sums: ActivitySums, standing: Standing): boolean {
  const { status, packetsLeft, held } = standing;
  if (sums.status === 'active')
    return status === 'open' ? packetsLeft + held === sums.packetCount : isOnItsWay(standing, sums.ageMs);
  if (status === undefined) return packetsLeft === 0;
  const isTidy = status === 'closed' && packetsLeft === 0 && held === sums.claims;
  return sums.isEnding || (!sums.isForgotten && isTidy);
}
