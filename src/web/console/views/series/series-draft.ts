import type { Schema } from '../../../../../libs/client';
import { instantOf, localOf, localTime } from '../../ui/local-time';
import {
  creationOf,
  type Draft,
  draftLike,
  draftOfCodes,
  emptyDraft,
} from '../activities/creation/creation-draft';
import { EVERY_FRIDAY, type RuleDraft, ruleDraftOf, ruleOf } from './rule';

export type Series = Schema<'SeriesDto'>;

const DAY_MS = 24 * 3_600_000;
const MINUTE_SECONDS = 60;

/** Terms that the form cannot change. */
const CARRIED = ['parts', 'expectedTapsPerSecond'] as const;

/** The input of the form of a series. */
export interface SeriesDraft {
  readonly rain: Draft;
  readonly rule: RuleDraft;
  readonly timeZone: string;
  /** By the clocks of that zone. */
  readonly start: string;
  readonly minutes: string;
  readonly aheadHours: string;
  readonly ends: 'count' | 'until';
  readonly count: string;
  readonly until: string;
  readonly release: 'none' | 'even' | 'kept';
  /** The terms of a series that is being changed. */
  readonly before?: Series;
}

export function emptySeries(): SeriesDraft {
  const tomorrow = localTime(Date.now() + DAY_MS).slice(0, 10);
  return {
    rain: emptyDraft(),
    rule: EVERY_FRIDAY,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    start: `${tomorrow}T20:00:00`,
    ...{ minutes: '60', aheadHours: '24', ends: 'count', count: '10', until: '', release: 'none' },
  };
}

export function seriesDraftOf(series: Series): SeriesDraft {
  const { durationSeconds, createAheadHours = 24, count, until, pace } = series;
  const now = new Date().toISOString();
  const { sponsorId = '', rehearsal, split = { kind: 'random' as const } } = series;
  const isPlainlyEven = pace?.kind === 'even' && pace.until === undefined;
  return {
    rain: draftLike(
      { ...series, sponsorId, rehearsal: rehearsal || undefined, split },
      { opensAt: now, closesAt: now },
    ),
    rule: ruleDraftOf(series.rrule),
    timeZone: series.timeZone,
    start: series.start,
    minutes: String(durationSeconds / MINUTE_SECONDS),
    aheadHours: String(createAheadHours),
    ends: count === undefined ? 'until' : 'count',
    count: String(count ?? 10),
    until: localOf(until),
    release: isPlainlyEven ? 'even' : pace ? 'kept' : 'none',
    before: series,
  };
}

/** A browser leaves the seconds out if there are none. */
const toTheSecond = (local: string): string => (/T\d\d:\d\d$/.test(local) ? `${local}:00` : local);

/** When it comes again, as the API has it. The API refuses its faults. */
export const timingOf = (draft: SeriesDraft): Schema<'SeriesPreviewBody'> => ({
  rrule: ruleOf(draft.rule),
  timeZone: draft.timeZone,
  start: toTheSecond(draft.start),
  durationSeconds: Math.round(Number(draft.minutes) * MINUTE_SECONDS),
  ...(draft.ends === 'count' ? { count: Number(draft.count) } : { until: instantOf(draft.until) }),
});

/** The body of the request. */
export function seriesOf(draft: SeriesDraft, isOfCodes: boolean): Schema<'SeriesBody'> {
  const { rain, release, before, aheadHours } = draft;
  const { opensAt: _, closesAt: __, ...terms } = creationOf(isOfCodes ? draftOfCodes(rain) : rain);
  return {
    ...Object.fromEntries(CARRIED.map((name) => [name, before?.[name]])),
    ...terms,
    ...timingOf(draft),
    createAheadHours: Number(aheadHours),
    pace: release === 'even' ? { kind: 'even' } : release === 'kept' ? before?.pace : undefined,
  };
}
