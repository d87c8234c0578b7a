import { Injectable } from '@nestjs/common';
import { type Standing, Standings } from '../../../libs/redis-scripts';
import { Slots } from '../../../libs/slots';
import { busy, type Caller } from '../../platform/http';
import { type Activity, ActivityRepository, phaseOf, rowsArchived } from '../activity';
import { Currencies, type KnownCurrency } from '../currency';
import { CreditOutlet } from '../outlet';
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
    private readonly currencies: Currencies,
    private readonly outlet: CreditOutlet,
  ) {}

  /** @throws busy, activityArchived, activityNotFound (for neither its sponsor nor staff) */
  async prove(activityId: string, caller: Caller): Promise<ReconciliationDto> {
    const activity = await this.activities.managedBy(caller, activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    if (activity.packetCount <= PACKETS_MANY) return this.proofOf(activity);
    return this.large.run(
      caller.role,
      () => this.proofOf(activity),
      () => busy('Other large activities are being proved; try again in a moment.', { retryAfterSeconds: 1 }),
    );
  }

  /** Reads both again if Redis does not agree: the activity may have changed between the two reads. */
  private async proofOf(activity: Activity): Promise<ReconciliationDto> {
    const proof = await this.lookAt(activity);
    return proof.redis.agrees || proof.redis.status === 'away' ? proof : this.lookAt(activity);
  }

  private async lookAt(activity: Activity): Promise<ReconciliationDto> {
    const sums = (await this.proofs.sums(activity.id, this.outlet.sql))!;
    const standing = await this.standings
      .whole({ id: activity.id, parts: sums.parts })
      .catch(() => undefined);
    const currency = await this.currencies.of(activity.currency);
    const checks = proofChecks(sums);
    return {
      activityId: activity.id,
      ...stateOf(activity, sums, standing),
      currency: currency.code,
      ...amountsOf(sums, currency),
      credits: creditsOf(sums, currency),
      packets: { total: sums.packets, claimed: sums.claims },
      claims: { credited: sums.credited, pending: sums.pending, dead: sums.dead, void: sums.void },
      oldestPendingSeconds: sums.oldestPendingMs === null ? null : sums.oldestPendingMs / 1_000,
      redis: redisOf(sums, standing),
      checks,
      verdict: checks.every((check) => check.holds) ? 'balanced' : 'broken',
    };
  }
}

function amountsOf(sums: ActivitySums, currency: KnownCurrency) {
  const money = (minor: bigint) => currency.format(minor);
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

function creditsOf(sums: ActivitySums, currency: KnownCurrency): ReconciliationDto['credits'] {
  const { creditedMinor, sentMinor, paidMinor, credited, sent, paid } = sums;
  const money = (minor: bigint) => currency.format(minor);
  return {
    kept: { amount: money(creditedMinor - sentMinor - paidMinor), claims: credited - sent - paid },
    sent: { amount: money(sentMinor), claims: sent },
    paid: { amount: money(paidMinor), claims: paid },
  };
}

/** The fields of an activity that may change, from the snapshot of its sums. */
function stateOf(
  activity: Activity,
  { status, escrowMinor, resolvedMinor, closedAt }: ActivitySums,
  standing: Standing | undefined,
): Pick<ReconciliationDto, 'phase' | 'cancelled' | 'closedAt'> {
  const settled = status !== 'active' && escrowMinor === resolvedMinor;
  return {
    phase: phaseOf({ ...activity, status, settled }, standing),
    cancelled: status === 'cancelled',
    closedAt: closedAt?.toISOString() ?? null,
  };
}

function redisOf(sums: ActivitySums, standing: Standing | undefined): ReconciliationDto['redis'] {
  if (!standing) return { status: 'away', packetsLeft: null, held: null, agrees: false };
  const { status = 'missing', packetsLeft, held } = standing;
  return { status, packetsLeft, held, agrees: agrees(sums, standing) };
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
