import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Problem } from '../../../libs/problem';
import { Servers } from '../../../libs/redis-scripts';
import { isStaff } from '../../../libs/roles';
import { IdempotencyService } from '../../platform/http';
import { Repeats } from '../../platform/schedule';
import { ActivityCreation, type CompletedBody, LoadedCreation } from '../../core/lifecycle';
import { SecondPerson } from '../../core/second-person';
import { StandingChecks } from '../preflight';
import { bodyOf, nextOf, Occurrences, whyMissed } from './occurrences';
import type { Occurrence } from './recurrence';
import { isPassing, refusalOf, Refused } from './refusals';
import type { Series } from './series';
import { SeriesRepository } from './series.repository';

/** The most that one run does: another follows after a second. */
const SERIES_AT_ONCE = 50;
const MISSED_AT_ONCE = 100;

const TRY_AGAIN_MS = 60_000;

/**
 * Creates the activities of series. It runs in API processes, because only they have everything that a creation
 * needs: the kinds of audience, admission and money that extensions bring.
 *
 * The row of a series is locked from when it is read until the commit that holds the activity, its money and the
 * occurrence. So a process that dies has created all of it or nothing, and no two create the same.
 */
@Injectable()
export class SeriesSweep {
  private readonly logger = new Logger('SeriesSweep');

  constructor(
    private readonly rows: SeriesRepository,
    private readonly occurrences: Occurrences,
    private readonly creation: ActivityCreation,
    private readonly loaded: LoadedCreation,
    private readonly secondPerson: SecondPerson,
    private readonly checks: StandingChecks,
    private readonly idempotency: IdempotencyService,
    private readonly servers: Servers,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Repeats('SeriesSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    const redisSeconds = await this.servers.earliestSeconds();
    for (const id of await this.rows.due(redisSeconds, SERIES_AT_ONCE)) {
      if (stopping.aborted) return;
      await this.advance(id, redisSeconds).catch((error: unknown) => this.postpone(id, error));
    }
  }

  /** Those that are due the longest come first, so a series that always fails would keep its place before all others. */
  private async postpone(id: string, error: unknown): Promise<void> {
    this.logger.warn(`Series ${id} waits: ${String(error)}`);
    await this.rows
      .postpone(id, TRY_AGAIN_MS)
      .catch((again: unknown) => this.logger.warn(`Series ${id} keeps its place: ${String(again)}`));
  }

  private async advance(id: string, redisSeconds: number): Promise<void> {
    let series = await this.rows.findSeries(id);
    if (!series) return;
    try {
      series = await this.dataSource.transaction((tx) => this.missPast(tx, id, redisSeconds));
      if (!series) return;
      await this.loaded.around(
        series.actor,
        series.rain.packetCount,
        () => this.dataSource.transaction((tx) => this.decideNext(tx, id, redisSeconds)),
        (activityId) => activityId,
      );
    } catch (error) {
      if (!(error instanceof Problem) && !(error instanceof Refused))
        this.logger.error(`Series ${id} failed: ${error instanceof Error ? error.stack : String(error)}`);
      const tried = series!;
      await this.dataSource.transaction((tx) => this.refuse(tx, tried, error, redisSeconds));
    }
  }

  /** @returns the activity, if one was created */
  private async decideNext(tx: EntityManager, id: string, redisSeconds: number): Promise<string | undefined> {
    const series = await this.rows.lockDue(tx, id, redisSeconds);
    const next = series && nextOf(series);
    if (!next || isLost(series, next)) return undefined;
    const { lookAt } = this.occurrences.pointerTo(next, series);
    const waitsUntil = series.status === 'paused' ? next.opensAt : lookAt!;
    if (waitsUntil > series.readAt) {
      await this.rows.lookAgain(tx, id, waitsUntil, series.refusal);
      return undefined;
    }
    const body = await this.creation.complete(tx, series.actor, bodyOf(series, next));
    return this.create(tx, series, body);
  }

  /**
   * Lists what is lost in a transaction of its own, so that it stays listed if nothing can be created. What one run
   * leaves, the next one lists.
   *
   * @returns undefined if another process has the series
   */
  private async missPast(tx: EntityManager, id: string, redisSeconds: number): Promise<Series | undefined> {
    const locked = await this.rows.lockDue(tx, id, redisSeconds);
    if (!locked) return undefined;
    let series = await this.occurrences.undecided(tx, locked);
    for (let missed = 0; missed < MISSED_AT_ONCE; missed += 1) {
      const next = nextOf(series);
      if (!next || !isLost(series, next)) return series;
      series = await this.occurrences.miss(tx, series, whyMissed(series));
    }
    return series;
  }

  private async create(tx: EntityManager, series: Series, body: CompletedBody): Promise<string> {
    const { actor, sponsorId } = series;
    const stop = await this.checks.findStop({ admission: body.admission ?? 'open', sponsorId });
    if (stop) throw new Refused({ reason: 'preflight', detail: stop.reason });
    await this.requireAlone(tx, series, body);
    const { id } = await this.loaded.perform(tx, actor, body, await this.idempotency.newId(tx));
    await this.occurrences.create(tx, series, id);
    return id;
  }

  /** The activities of a series count for the person who wrote its terms, as if they had created each. */
  private async requireAlone(tx: EntityManager, { actor }: Series, body: CompletedBody): Promise<void> {
    const { currency, terms } = await this.creation.plan(tx, actor, body);
    if (!isStaff(actor.role) || currency.isPlay) return;
    const sum = { doneBy: actor.userId, currency, amountMinor: terms.totalMinor };
    const [mayAlone] = await this.secondPerson.takeSoloSums(tx, [sum]);
    if (mayAlone) return;
    throw new Refused({
      reason: 'second-person',
      // This text outlives the person, so it does not name them.
      detail: 'The person who wrote the terms last may not create an activity of this amount alone.',
    });
  }

  /**
   * An occurrence that could not be created is tried again until it opens, and until it ends if the reason may pass by
   * itself. By then another process may have decided it.
   */
  private async refuse(
    tx: EntityManager,
    tried: Series,
    error: unknown,
    redisSeconds: number,
  ): Promise<void> {
    const series = await this.rows.lockDue(tx, tried.id, redisSeconds);
    const next = series && nextOf(series);
    if (
      !next ||
      series.decided !== tried.decided ||
      series.nextOpensAt?.getTime() !== tried.nextOpensAt?.getTime()
    )
      return;
    const refusal = refusalOf(error);
    const now = series.readAt;
    const hasBegun = next.opensAt <= now;
    if (hasBegun && !isPassing(refusal)) {
      await this.occurrences.miss(tx, series, refusal);
      return;
    }
    const deadline = hasBegun ? next.closesAt : next.opensAt;
    const soon = now.getTime() + TRY_AGAIN_MS;
    const again = new Date(deadline > now ? Math.min(soon, deadline.getTime()) : soon);
    await this.rows.lookAgain(tx, series.id, again, refusal);
  }
}

/** An occurrence that is over, or was to open while its series was paused. */
const isLost = (series: Series, { opensAt, closesAt }: Occurrence): boolean =>
  (series.status === 'paused' ? opensAt : closesAt) <= series.readAt;
