import { Injectable } from '@nestjs/common';
import { Dispenser } from '../../../libs/redis-scripts';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import { activityNotFound } from '../grab';
import { proofChecks, unclaimedMinor } from './proof';
import { type ActivitySums, ProofRepository } from './proof.repository';
import type { ReconciliationDto } from './reconciliation.dto';

@Injectable()
export class ReconciliationService {
  constructor(
    private readonly proofs: ProofRepository,
    private readonly dispenser: Dispenser,
    private readonly currency: Currency,
  ) {}

  /** @throws activityNotFound also for those who are neither its sponsor nor an operator */
  async prove(activityId: string, caller: Caller): Promise<ReconciliationDto> {
    const sums = await this.proofs.sums(activityId);
    if (!sums || (caller.role !== 'operator' && caller.userId !== sums.sponsorId)) {
      throw activityNotFound(`There is no activity ${activityId}.`);
    }
    const checks = proofChecks(sums);
    return {
      activityId,
      currency: this.currency.code,
      ...this.amounts(sums),
      packets: { total: sums.packets, claimed: sums.claims },
      claims: { credited: sums.credited, pending: sums.pending, dead: sums.dead },
      redis: await this.redisStanding(activityId, sums.packetCount),
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
      refunded: money(sums.refundedMinor),
      unclaimed: money(unclaimedMinor(sums)),
      escrowBalance: money(sums.escrowMinor),
    };
  }

  private async redisStanding(activityId: string, packetCount: number): Promise<ReconciliationDto['redis']> {
    try {
      const { status = 'missing', packetsLeft, held } = await this.dispenser.standingOf(activityId);
      return { status, packetsLeft, held, agrees: status !== 'open' || packetsLeft + held === packetCount };
    } catch {
      return { status: 'away', packetsLeft: null, held: null, agrees: false };
    }
  }
}
