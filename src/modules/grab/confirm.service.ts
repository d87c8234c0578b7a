import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { failpoint } from '../../../libs/failpoint';
import { Dispenser, type ConfirmedClaim, type Release, type Reservation } from '../../../libs/redis-scripts';
import { Metrics } from '../../platform/telemetry';
import { SettlementQueue } from '../wallet';
import { ClaimRepository, type Verdict } from './claim.repository';

/** Also what one acknowledgement takes: a script has to fit all of it into one command. */
export const RESERVATIONS_PER_COMMIT_MAX = 500;

/** Two, so that one batch gathers and travels while the other one is being written. */
const COMMITS_IN_FLIGHT_MAX = 2;

/**
 * Confirms reservations in Postgres and lets Redis and the queue know.
 *
 * Winners of one moment share a commit: a batch leaves when a connection is free and takes what has gathered, so a
 * quiet system confirms at once and a busy one makes larger batches.
 *
 * After the commit, in this order: new claims are offered to settlement; reservations that Postgres refused are taken
 * back in Redis before their users may draw again; claims are marked in Redis and their journal entries removed, which
 * nobody waits for. A crash after any of these steps leaves the journal entry, and whoever sweeps it does the rest again.
 */
@Injectable()
export class ConfirmService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Confirm');
  private readonly corrections;
  private readonly underWay = new Map<string, Promise<Verdict>>();
  private readonly acknowledging = new Set<Promise<void>>();
  private readonly commits = new Batcher<Reservation, Verdict>({
    run: (batch) => this.confirmOrLeave(batch),
    sizeMax: RESERVATIONS_PER_COMMIT_MAX,
    concurrencyMax: COMMITS_IN_FLIGHT_MAX,
  });

  constructor(
    private readonly claims: ClaimRepository,
    private readonly dispenser: Dispenser,
    private readonly settlement: SettlementQueue,
    metrics: Metrics,
  ) {
    this.corrections = metrics.counter({
      name: 'redis_corrections_total',
      help: 'Reservations that Postgres refused, by the reason; more than a few mean that Redis has lost data',
      labelNames: ['verdict'],
    });
  }

  /**
   * Joins the next commit. A user who taps again before his first tap is answered shares its verdict.
   *
   * @throws when Postgres (or, for a refused reservation, Redis) is away; the journal keeps the reservation
   */
  confirm(reservation: Reservation): Promise<Verdict> {
    const key = `${reservation.activityId}/${reservation.packet.no}/${reservation.userId}`;
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const verdict = this.commits.submit(reservation).finally(() => this.underWay.delete(key));
    this.underWay.set(key, verdict);
    return verdict;
  }

  /** Confirms a whole batch at once; for the sweeper, which has one in its hands. */
  async confirmAll(batch: readonly Reservation[]): Promise<Verdict[]> {
    await failpoint('confirm.before-commit');
    const verdicts = await this.claims.confirm(batch);
    await failpoint('confirm.after-commit');
    this.settlement.offer(
      verdicts.flatMap((verdict) => (verdict.kind === 'confirmed' ? (verdict.claimId ?? []) : [])),
    );
    await Promise.all(batch.map((reservation, i) => this.takeBack(reservation, verdicts[i]!)));
    await failpoint('confirm.before-acknowledge');
    this.acknowledge(batch, verdicts);
    return verdicts;
  }

  /** One line for a whole batch: while Postgres is away, one for every winner would bury the rest. */
  private async confirmOrLeave(batch: readonly Reservation[]): Promise<Verdict[]> {
    try {
      return await this.confirmAll(batch);
    } catch (error) {
      this.logger.warn(`${batch.length} reservations are left to the sweeper: ${String(error)}`);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.commits.drain();
    await Promise.all(this.acknowledging);
  }

  private async takeBack(reservation: Reservation, verdict: Verdict): Promise<void> {
    const correction = correctionOf(reservation, verdict);
    if (!correction) return;
    this.corrections.inc({ verdict: verdict.kind });
    this.logger.warn(
      `Activity ${reservation.activityId}, packet ${reservation.packet.no}: Redis was corrected (${verdict.kind}).`,
    );
    await this.dispenser.release({ ...reservation, ...correction });
  }

  private acknowledge(batch: readonly Reservation[], verdicts: readonly Verdict[]): void {
    for (const [shard, { claims, entryIds }] of this.decidedByShard(batch, verdicts)) {
      const done: Promise<void> = this.dispenser
        .acknowledge(shard, claims, entryIds)
        .then(() => failpoint('confirm.after-acknowledge'))
        .catch((error: unknown) =>
          this.logger.warn(`The sweeper will acknowledge ${claims.length} claims: ${String(error)}`),
        )
        .finally(() => this.acknowledging.delete(done));
      this.acknowledging.add(done);
    }
  }

  /** What Redis has to learn, and the journal entries whose last reservation has just been decided. */
  private decidedByShard(batch: readonly Reservation[], verdicts: readonly Verdict[]): Map<number, Decided> {
    const shards = new Map<number, Decided>();
    batch.forEach(({ activityId, userId, entry }, i) => {
      const shard = this.dispenser.keys.shardOf(activityId);
      let decided = shards.get(shard);
      if (!decided) shards.set(shard, (decided = { claims: [], entryIds: [] }));
      const verdict = verdicts[i]!;
      if (verdict.kind === 'confirmed') decided.claims.push({ activityId, userId, packet: verdict.packet });
      if (entry && --entry.undecided === 0) decided.entryIds.push(entry.id);
    });
    return shards;
  }
}

interface Decided {
  readonly claims: ConfirmedClaim[];
  readonly entryIds: string[];
}

/** How Redis must be corrected after a refusal; undefined when the reservation became a claim. */
function correctionOf(
  { userId }: Reservation,
  verdict: Verdict,
): Pick<Release, 'fate' | 'rightful'> | undefined {
  switch (verdict.kind) {
    case 'confirmed':
      return undefined;
    case 'holds-other':
      return {
        fate: verdict.reservedIsFree ? 'return' : 'drop',
        rightful: { userId, packet: verdict.packet },
      };
    case 'taken':
      return { fate: 'drop', rightful: { userId: verdict.ownerId, packet: verdict.packet } };
    case 'unknown-packet':
    case 'closed':
      return { fate: 'drop' };
  }
}
