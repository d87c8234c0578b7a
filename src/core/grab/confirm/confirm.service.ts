import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Batcher } from '../../../../libs/batching';
import { failpoint } from '../../../../libs/failpoint';
import { type ConfirmedClaim, type Reservation, Reservations } from '../../../../libs/redis-scripts';
import { noteOrigin, originsOf, traced } from '../../../../libs/tracing';
import { isDataFault, isHeldUp } from '../../../platform/postgres';
import { ENDINGS, Metrics, timed } from '../../../platform/telemetry';
import { SettlementQueue } from '../../wallet';
import { activitiesOf, ClaimRepository, type ConfirmVerdict } from './claim.repository';
import { type Correction, correctionOf, type Decided } from './correction';
import { HeldUpActivities } from './held-up-activities';
import { HomePartNotes } from './home-part-notes';
import { WaitingUsers } from './waiting-users';

/** Applies to acknowledgements too: a script has to pass all claims of one to a single command. */
export const RESERVATIONS_PER_COMMIT_MAX = 500;

/** One batch gathers and travels while the other is being written. */
const COMMITS_IN_FLIGHT_MAX = 2;

/**
 * Confirms reservations in Postgres, and informs Redis and the queue.
 *
 * Winners of one moment share a commit: a batch leaves as soon as a connection is free, and takes
 * all reservations that have gathered.
 *
 * After the commit the caller gets its answer. Then, in this order: new claims are offered to
 * settlement; refused reservations are taken back in Redis; claims are marked in Redis and their
 * journal entries removed. After a crash at any point, or while Redis is down, the journal entry
 * stays, and the process that sweeps the journal repeats the rest.
 *
 * A row that another transaction keeps locked would hold up all activities of a batch, and so would
 * terms that Postgres no longer understands, such as a time zone that it knew before an upgrade. So
 * a batch that is held up is taken apart, and the activity is remembered for a moment: no other
 * reservation waits for its own.
 */
@Injectable()
export class ConfirmService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Confirm');
  private readonly corrections;
  private readonly confirmed;
  private readonly times;
  private readonly underWay = new Map<string, Promise<Decision>>();
  private readonly acknowledging = new Set<Promise<void>>();
  private readonly heldUp = new HeldUpActivities();
  private readonly commits = new Batcher<Reservation, Decision | undefined>({
    run: (batch) => this.orLeave(batch, this.decideTogether(batch)),
    sizeMax: RESERVATIONS_PER_COMMIT_MAX,
    concurrencyMax: COMMITS_IN_FLIGHT_MAX,
  });
  private readonly heldUpCommits = new Batcher<Reservation, Decision | undefined>({
    run: (batch) => this.orLeave(batch, this.decideApart(batch)),
    sizeMax: RESERVATIONS_PER_COMMIT_MAX,
    concurrencyMax: 1,
  });

  constructor(
    private readonly claims: ClaimRepository,
    private readonly reservations: Reservations,
    private readonly settlement: SettlementQueue,
    private readonly waitingUsers: WaitingUsers,
    private readonly homes: HomePartNotes,
    metrics: Metrics,
  ) {
    this.corrections = metrics.counters({
      name: 'hongbao_redis_corrections_total',
      help: 'Reservations that Postgres refused, by the reason; more than a few mean that Redis has lost data',
      label: 'verdict',
      values: ['holds-other', 'taken', 'unknown-packet', 'closed'],
    });
    this.confirmed = metrics.counter({
      name: 'hongbao_claims_confirmed_total',
      help: 'Reservations that this process has turned into claims',
    });
    this.times = metrics.timings({
      name: 'hongbao_confirm_duration_seconds',
      help: 'How long Postgres took to decide one batch of reservations; those of one that fails stay in the journal',
      label: 'result',
      values: ENDINGS,
    });
    const { commits } = this;
    metrics.gauge({
      name: 'hongbao_confirm_wait_seconds',
      help: 'Expected wait of a new draw until Postgres is asked; beyond CONFIRM_WAIT_MAX_MS nobody draws',
      collect() {
        this.set(commits.expectedWaitMs / 1_000);
      },
    });
  }

  /**
   * Joins the next commit. A user who taps again before the answer shares its decision, but a
   * reservation with a journal entry never does: another decision would not remove that entry, and
   * nobody knows whether it came before or after the draw.
   *
   * @throws if Postgres is down or keeps the activity locked; the journal keeps the reservation
   */
  confirm(reservation: Reservation): Promise<Decision> {
    const key = `${reservation.activityId}/${reservation.packet.no}/${reservation.userId}`;
    const shared = reservation.entry ? undefined : this.underWay.get(key);
    if (shared) return shared;
    noteOrigin(reservation);
    const decision = this.commit(reservation).finally(() => {
      if (this.underWay.get(key) === decision) this.underWay.delete(key);
    });
    this.underWay.set(key, decision);
    return decision;
  }

  private async commit(reservation: Reservation): Promise<Decision> {
    const { activityId } = reservation;
    const decision =
      (this.heldUp.has(activityId) ? undefined : await this.commits.submit(reservation)) ??
      (await this.heldUpCommits.submit(reservation));
    if (decision) return decision;
    throw new Error(`Activity ${activityId} is held up.`);
  }

  /**
   * Confirms a batch of the sweeper. Returns the reservations whose activity is locked.
   *
   * @throws if Postgres (or, for a refused reservation, Redis) is down; the journal keeps them
   */
  async confirmAll(batch: readonly Reservation[]): Promise<Reservation[]> {
    await this.forgetUnlocked(batch);
    const decisions = await this.decideTogether(batch);
    await Promise.all(decisions.map((decision) => decision?.corrected ?? NOTHING_TO_CORRECT));
    return batch.filter((_, i) => decisions[i] === undefined);
  }

  /** Milliseconds that a draw made now may expect to wait until Postgres is asked. */
  get expectedWaitMs(): number {
    return this.commits.expectedWaitMs;
  }

  /** Logs one line for a whole batch: while Postgres is down, a line per winner would bury the rest. */
  private async orLeave<T>(batch: readonly Reservation[], decisions: Promise<T>): Promise<T> {
    try {
      return await decisions;
    } catch (error) {
      this.logger.warn(`${batch.length} reservations are left to the sweeper: ${String(error)}`);
      throw error;
    }
  }

  /** Decides all in one statement. Those that are held up stay undefined. */
  private async decideTogether(batch: readonly Reservation[]): Promise<(Decision | undefined)[]> {
    const free = batch.filter(({ activityId }) => !this.heldUp.has(activityId));
    if (free.length === 0) return batch.map(() => undefined);
    try {
      const decisions = await this.decide(free);
      return free.length === batch.length ? decisions : inTheirPlaces(batch, free, decisions);
    } catch (error) {
      if (!isOfOneActivity(error)) throw error;
      return inTheirPlaces(batch, free, await this.decideRest(free));
    }
  }

  /**
   * Decides a batch that failed because of a lock, without the activities that are locked now, and
   * one activity at a time, because something else may obstruct one of them.
   */
  private async decideRest(batch: readonly Reservation[]): Promise<(Decision | undefined)[]> {
    const ids = activitiesOf(batch);
    const lockable = await this.claims.lockableActivities(ids);
    for (const id of ids) if (!lockable.has(id)) this.holdUp(id, 'another session keeps it locked');
    const free = batch.filter(({ activityId }) => lockable.has(activityId));
    return inTheirPlaces(batch, free, await this.decideApart(free));
  }

  /** The result is undefined for activities that are held up. */
  private async decideApart(batch: readonly Reservation[]): Promise<(Decision | undefined)[]> {
    const decisions = new Map<Reservation, Decision>();
    for (const id of activitiesOf(batch)) {
      const own = batch.filter(({ activityId }) => activityId === id);
      try {
        (await this.decide(own)).forEach((decision, i) => decisions.set(own[i]!, decision));
        this.heldUp.delete(id);
      } catch (error) {
        if (!isOfOneActivity(error)) throw error;
        this.holdUp(id, error);
      }
    }
    return batch.map((reservation) => decisions.get(reservation));
  }

  private holdUp(activityId: string, reason: unknown): void {
    if (!this.heldUp.has(activityId))
      this.logger.warn(
        `Activity ${activityId} is held up, and its winners are left to the sweeper: ${String(reason)}`,
      );
    this.heldUp.add(activityId);
  }

  private async forgetUnlocked(batch: readonly Reservation[]): Promise<void> {
    const heldUp = activitiesOf(batch).filter((id) => this.heldUp.has(id));
    if (heldUp.length === 0) return;
    for (const id of await this.claims.lockableActivities(heldUp)) this.heldUp.delete(id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.commits.drain();
    await this.heldUpCommits.drain();
    await Promise.all(this.acknowledging);
  }

  private decide(batch: readonly Reservation[]): Promise<Decision[]> {
    return traced(
      'commit',
      () => this.decideNow(batch),
      () => ({ ...originsOf(batch), attributes: { 'hongbao.reservations': batch.length } }),
    );
  }

  private async decideNow(batch: readonly Reservation[]): Promise<Decision[]> {
    await failpoint('confirm.before-commit');
    const verdicts = await timed(this.times, () => this.claims.confirm(batch));
    await failpoint('confirm.after-commit');
    const written = verdicts.flatMap((verdict, i) =>
      verdict.kind === 'confirmed' && verdict.claimId !== undefined
        ? [{ claimId: verdict.claimId, hold: batch[i]!.hold }]
        : [],
    );
    this.settlement.offer(written.filter(({ hold }) => !hold).map(({ claimId }) => claimId));
    this.confirmed.inc(written.length);
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

  private correct(reservation: Reservation, verdict: ConfirmVerdict): Promise<void> {
    const correction = correctionOf(reservation, verdict);
    if (!correction || verdict.kind === 'confirmed') return NOTHING_TO_CORRECT;
    if (verdict.kind === 'limit') return this.release(reservation, verdict, correction);
    this.corrections[verdict.kind].inc();
    this.logger.warn(
      `Activity ${reservation.activityId}, packet ${reservation.packet.no}: Redis is corrected (${verdict.kind}).`,
    );
    return this.release(reservation, verdict, correction);
  }

  /** Corrects this shard alone: a packet that lies elsewhere is not for this shard to know. */
  private async release(
    reservation: Reservation,
    verdict: ConfirmVerdict,
    { rightful, ...correction }: Correction,
  ): Promise<void> {
    const where = verdict.kind === 'holds-other' ? verdict.where : undefined;
    const isElsewhere =
      where !== undefined && (await this.homes.noteElsewhere(reservation, where, rightful!.packet));
    await this.reservations.release({
      ...reservation,
      ...correction,
      rightful: isElsewhere ? undefined : rightful,
    });
  }

  /** Acknowledges only what Redis was corrected about: other entries stay in the journal. */
  private async acknowledge(batch: readonly Reservation[], decisions: readonly Decision[]): Promise<void> {
    const corrections = await Promise.allSettled(decisions.map(({ corrected }) => corrected));
    await failpoint('confirm.before-acknowledge');
    const decided = batch.flatMap((reservation, i) =>
      corrections[i]!.status === 'fulfilled' ? { reservation, verdict: decisions[i]!.verdict } : [],
    );
    await this.waitingUsers.endWait(decided);
    await Promise.all(
      Array.from(this.byShard(decided), ([shard, { claims, entryIds }]) =>
        this.reservations.acknowledge(shard, claims, entryIds),
      ),
    );
    await failpoint('confirm.after-acknowledge');
  }

  /** The confirmed claims of each shard, and the journal entries whose last reservation was just decided. */
  private byShard(decided: readonly Decided[]): Map<number, Acknowledgement> {
    const shards = new Map<number, Acknowledgement>();
    for (const { reservation, verdict } of decided) {
      const { activityId, userId, shard, entry } = reservation;
      let acknowledgement = shards.get(shard);
      if (!acknowledgement) shards.set(shard, (acknowledgement = { claims: [], entryIds: [] }));
      if (verdict.kind === 'confirmed')
        acknowledgement.claims.push({ activityId, userId, packet: verdict.packet });
      if (entry?.decideOne()) acknowledgement.entryIds.push(entry.id);
    }
    return shards;
  }
}

/** One activity may be the reason that a batch failed. */
const isOfOneActivity = (error: unknown): boolean => isHeldUp(error) || isDataFault(error);

/** Puts decisions on `some` of a batch at the places of their reservations in the whole batch. */
function inTheirPlaces(
  batch: readonly Reservation[],
  some: readonly Reservation[],
  decisions: readonly (Decision | undefined)[],
): (Decision | undefined)[] {
  const places = new Map(some.map((reservation, i) => [reservation, decisions[i]]));
  return batch.map((reservation) => places.get(reservation));
}

const NOTHING_TO_CORRECT = Promise.resolve();

export interface Decision {
  readonly verdict: ConfirmVerdict;
  /** Resolves when Redis agrees with a refusal, so that its user may draw again. */
  readonly corrected: Promise<void>;
}

interface Acknowledgement {
  readonly claims: ConfirmedClaim[];
  readonly entryIds: string[];
}
