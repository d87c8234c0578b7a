import type { Schema } from '../../../../../../libs/client';

type History = Schema<'HistoryDto'>;
type Point = History['points'][number];

const MINUTE_MS = 60_000;

/** Minutes since the opening, and for each curve its values there. */
export type Line = readonly [minutes: readonly number[], ...values: (readonly number[])[]];

/**
 * Figures a minute, by their distance from the opening, so that two activities can be compared. A step in which nothing
 * happened is not in the history: nothing is drawn as zero, at both ends of a gap.
 */
export function lineOf(
  { opensAt, stepSeconds, points }: History,
  figures: readonly ((point: Point) => number)[],
): Line {
  const stepMs = stepSeconds * 1_000;
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const places = [...known.keys()].flatMap((at) => [at - stepMs, at, at + stepMs]);
  const opensInMs = Math.floor(Date.parse(opensAt) / MINUTE_MS) * MINUTE_MS;
  // Before the opening is only what really was: the line begins with it, or with the opening.
  const startsAt = Math.min(opensInMs, ...known.keys());
  const ordered = [...new Set(places)].filter((at) => at >= startsAt).sort((a, b) => a - b);
  const minutes = ordered.map((at) => (at - opensInMs) / MINUTE_MS);
  const perMinute = MINUTE_MS / stepMs;
  const values = figures.map((figure) =>
    ordered.map((at) => {
      const point = known.get(at);
      return point ? Math.round(figure(point) * perMinute * 10) / 10 : 0;
    }),
  );
  return [minutes, ...values];
}
