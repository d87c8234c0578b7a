import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Batcher } from '../../../libs/batching';
import { failpoint } from '../../../libs/failpoint';
import { Dispenser, type ConfirmedClaim, type Release, type Reservation } from '../../../libs/redis-scripts';
import { Metrics } from '../../platform/telemetry';
import { SettlementQueue } from '../wallet';
import { type Assignment, AssignmentNews } from './assignment-news';
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
 * After the commit the caller knows, and in this order: new claims are offered to settlement; reservations that Postgres
 * refused are taken back in Redis; claims are marked in Redis and their journal entries removed. A crash after any of
 * these steps, or a Redis that is away, leaves the journal entry, and whoever sweeps it does the rest again.
 */
@Injectable()
export class ConfirmService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Confirm');
  private readonly corrections;
  private readonly underWay = new Map<string, Promise<Decision>>();
  private readonly acknowledging = new Set<Promise<void>>();
  private readonly commits = new Batcher<Reservation, Decision>({
    run: (batch) => this.decideOrLeave(batch),
    sizeMax: RESERVATIONS_PER_COMMIT_MAX,
    concurrencyMax: COMMITS_IN_FLIGHT_MAX,
  });

  constructor(
    private readonly claims: ClaimRepository,
    private readonly dispenser: Dispenser,
    private readonly settlement: SettlementQueue,
    private readonly news: AssignmentNews,
    metrics: Metrics,
  ) {
    this.corrections = metrics.counter({
      name: 'redis_corrections_total',
      help: 'Reservations that Postgres refused, by the reason; more than a few mean that Redis has lost data',
      labelNames: ['verdict'],
    });
  }

  /**
   * Joins the next commit. A user who taps again before his first tap is answered shares its decision.
   *
   * @throws when Postgres is away; the journal keeps the reservation
   */
  confirm(reservation: Reservation): Promise<Decision> {
    const key = `${reservation.activityId}/${reservation.packet.no}/${reservation.userId}`;
    const shared = this.underWay.get(key);
    if (shared) return shared;
    const decision = this.commits.submit(reservation).finally(() => this.underWay.delete(key));
    this.underWay.set(key, decision);
    return decision;
  }

  /**
   * Confirms a whole batch at once; for the sweeper, which has one in its hands.
   *
   * @throws when Postgres (or, for a refused reservation, Redis) is away; the journal keeps the reservations
   */
  async confirmAll(batch: readonly Reservation[]): Promise<void> {
    const decisions = await this.decide(batch);
    await Promise.all(decisions.map(({ corrected }) => corrected));
  }

  /** One line for a whole batch: while Postgres is away, one for every winner would bury the rest. */
  private async decideOrLeave(batch: readonly Reservation[]): Promise<Decision[]> {
    try {
      return await this.decide(batch);
    } catch (error) {
      this.logger.warn(`${batch.length} reservations are left to the sweeper: ${String(error)}`);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.commits.drain();
    await Promise.all(this.acknowledging);
  }

  private async decide(batch: readonly Reservation[]): Promise<Decision[]> {
    await failpoint('confirm.before-commit');
    const verdicts = await this.claims.confirm(batch);
    await failpoint('confirm.after-commit');
    this.settlement.offer(
      verdicts.flatMap((verdict) => (verdict.kind === 'confirmed' ? (verdict.claimId ?? []) : [])),
    );
    const decisions = verdicts.map((verdict, i) => ({
      verdict,
      corrected: this.correct(batch[i]!, verdict),
    }));
    const done: Promise<void> = this.acknowledge(batch, decisions)
      .catch((error: unknown) =>
        this.logger.warn(`The sweeper will acknowledge ${batch.length} claims: ${String(error)}`),
      )
      .finally(() => this.acknowledging.delete(done));
    this.acknowledging.add(done);
    return decisions;
  }

  private correct(reservation: Reservation, verdict: Verdict): Promise<void> {
    const correction = correctionOf(reservation, verdict);
    if (!correction) return NOTHING_TO_CORRECT;
    this.corrections.inc({ verdict: verdict.kind });
    this.logger.warn(
      `Activity ${reservation.activityId}, packet ${reservation.packet.no}: Redis is corrected (${verdict.kind}).`,
    );
    return this.dispenser.release({ ...reservation, ...correction });
  }

  /** Only what Redis has been corrected about: the entries of the rest stay in the journal. */
  private async acknowledge(batch: readonly Reservation[], decisions: readonly Decision[]): Promise<void> {
    const corrections = await Promise.allSettled(decisions.map(({ corrected }) => corrected));
    await failpoint('confirm.before-acknowledge');
    const decided = batch.flatMap((reservation, i) =>
      corrections[i]!.status === 'fulfilled' ? { reservation, verdict: decisions[i]!.verdict } : [],
    );
    await this.news.tell(decided.flatMap(assignmentOf));
    await Promise.all(
      Array.from(this.byShard(decided), ([shard, { claims, entryIds }]) =>
        this.dispenser.acknowledge(shard, claims, entryIds),
      ),
    );
    await failpoint('confirm.after-acknowledge');
  }

  /** What Redis has to learn, and the journal entries whose last reservation has just been decided. */
  private byShard(decided: readonly Decided[]): Map<number, Acknowledgement> {
    const shards = new Map<number, Acknowledgement>();
    for (const { reservation, verdict } of decided) {
      const { activityId, userId, entry } = reservation;
      const shard = this.dispenser.keys.shardOf(activityId);
      let acknowledgement = shards.get(shard);
      if (!acknowledgement) shards.set(shard, (acknowledgement = { claims: [], entryIds: [] }));
      if (verdict.kind === 'confirmed')
        acknowledgement.claims.push({ activityId, userId, packet: verdict.packet });
      if (entry && --entry.undecided === 0) acknowledgement.entryIds.push(entry.id);
    }
    return shards;
  }
}

const NOTHING_TO_CORRECT = Promise.resolve();

function assignmentOf({ reservation, verdict }: Decided): Assignment[] {
  return reservation.waitedSince && verdict.kind === 'confirmed'
    ? [{ reservation, packet: verdict.packet }]
    : [];
}

export interface Decision {
  readonly verdict: Verdict;
  /** Resolves when Redis agrees with a refusal, so that its user may draw again; rejects when Redis is away. */
  readonly corrected: Promise<void>;
}

interface Decided {
  readonly reservation: Reservation;
  readonly verdict: Verdict;
}

interface Acknowledgement {
  readonly claims: ConfirmedClaim[];
  readonly entryIds: string[];
}

/**
 * How Redis must be corrected after a refusal; undefined when the reservation became a claim. Whoever has waited, and is
 * left with nothing, waits on.
 */
function correctionOf(
  { userId, waitedSince: waitsSince }: Reservation,
  verdict: Verdict,
): Pick<Release, 'fate' | 'rightful' | 'waitsSince'> | undefined {
  switch (verdict.kind) {
    case 'confirmed':
      return undefined;
    case 'holds-other':
      return {
        fate: verdict.reservedIsFree ? 'return' : 'drop',
        rightful: { userId, packet: verdict.packet },
      };
    case 'taken':
      return { fate: 'drop', rightful: { userId: verdict.ownerId, packet: verdict.packet }, waitsSince };
    case 'unknown-packet':
      return { fate: 'drop', waitsSince };
    case 'closed':
      return { fate: 'drop' };
  }
}
