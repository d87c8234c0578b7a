import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { Metrics } from '../../platform/telemetry';
import type { CreateActivityBody } from '../../core/lifecycle';
import { type Occurrence, Recurrence } from './recurrence';
import type { Refusal, Series, SeriesTerms } from './series';
import { type Pointer, SeriesRepository } from './series.repository';

const HOUR_MS = 3_600_000;

const LATE: Refusal = { reason: 'late', detail: 'No program was running to create it in time.' };
const PAUSED: Refusal = { reason: 'paused', detail: 'The series was paused when it was to open.' };

/** Decides the next occurrence of a series, which the caller has locked. */
@Injectable()
export class Occurrences {
  private readonly counts;

  constructor(
    private readonly rows: SeriesRepository,
    metrics: Metrics,
  ) {
    this.counts = metrics.counters({
      name: 'hongbao_series_occurrences_total',
      help: 'Occurrences of series that this process has decided: created, missed, or missed because the series was paused',
      label: 'result',
      values: ['created', 'missed', 'paused'],
    });
  }

  async create(tx: EntityManager, series: Series, activityId: string): Promise<void> {
    await this.decide(tx, series, activityId, null);
    this.counts.created.inc();
  }

  /** @returns the series with the occurrence after this one */
  async miss(tx: EntityManager, series: Series, refusal: Refusal): Promise<Series> {
    const nextOpensAt = await this.decide(tx, series, null, refusal);
    this.counts[refusal.reason === 'paused' ? 'paused' : 'missed'].inc();
    return {
      ...series,
      decided: series.decided + 1,
      decidedUntil: series.nextOpensAt,
      nextOpensAt,
      refusal: null,
    };
  }

  /** Returns the series with an occurrence that is not decided, even if its row names one that is. */
  async undecided(tx: EntityManager, series: Series): Promise<Series> {
    const { nextOpensAt, decidedUntil } = series;
    if (!nextOpensAt || !decidedUntil || nextOpensAt > decidedUntil) return series;
    const pointer = this.pointerTo(Recurrence.of(series).after(decidedUntil), series);
    await this.rows.pointTo(tx, series.id, pointer);
    return { ...series, nextOpensAt: pointer.nextOpensAt, refusal: null };
  }

  /** The pointer to an occurrence that has not been tried yet. */
  pointerTo(
    occurrence: Occurrence | undefined,
    { createAheadHours }: Pick<SeriesTerms, 'createAheadHours'>,
  ): Pointer {
    if (!occurrence) return { nextOpensAt: null, lookAt: null };
    const lookAt = new Date(occurrence.opensAt.getTime() - createAheadHours * HOUR_MS);
    return { nextOpensAt: occurrence.opensAt, lookAt };
  }

  private async decide(
    tx: EntityManager,
    series: Series,
    activityId: string | null,
    refusal: Refusal | null,
  ): Promise<Date | null> {
    const { opensAt, closesAt } = nextOf(series)!;
    const pointer = this.pointerTo(Recurrence.of(series).after(opensAt), series);
    const occurrence = {
      seriesId: series.id,
      no: series.decided + 1,
      opensAt,
      closesAt,
      activityId,
      refusal,
    };
    await this.rows.decide(tx, occurrence, pointer);
    return pointer.nextOpensAt;
  }
}

export function nextOf({ nextOpensAt, durationSeconds }: Series): Occurrence | undefined {
  if (nextOpensAt === null) return undefined;
  return { opensAt: nextOpensAt, closesAt: new Date(nextOpensAt.getTime() + durationSeconds * 1_000) };
}

/** Returns why an occurrence that should have opened by now has no activity. */
export const whyMissed = ({ status, refusal }: Series): Refusal =>
  status === 'paused' ? PAUSED : (refusal ?? LATE);

/**
 * The body of the activity of an occurrence. The instants of a pace are those of the first occurrence, and keep their
 * distance from the opening.
 */
export function bodyOf(series: SeriesTerms, { opensAt, closesAt }: Occurrence): CreateActivityBody {
  const { rain, sponsorId } = series;
  const window = { opensAt: opensAt.toISOString(), closesAt: closesAt.toISOString() };
  if (!rain.pace) return { ...rain, sponsorId, ...window };
  const byMs = opensAt.getTime() - Recurrence.of(series).first.opensAt.getTime();
  return { ...rain, sponsorId, ...window, pace: shifted(rain.pace, byMs) };
}

function shifted(pace: NonNullable<CreateActivityBody['pace']>, byMs: number): typeof pace {
  const later = (instant: string): string => new Date(Date.parse(instant) + byMs).toISOString();
  if (pace.kind === 'waves')
    return { ...pace, waves: pace.waves.map(({ at, count }) => ({ at: later(at), count })) };
  invariant(pace.kind === 'even', 'A pace is even or in waves.');
  return pace.until === undefined ? pace : { ...pace, until: later(pace.until) };
}
