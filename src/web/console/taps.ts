import { useRef } from 'preact/hooks';
import type { Schema } from '../../../libs/client';

type Taps = NonNullable<Schema<'ProgressDto'>['taps']>;

/** Counts are added up once a second: closer samples say little. */
const APART_SECONDS = 0.9;

export interface TapFigures {
  readonly all: number;
  readonly perSecond: number;
  readonly winsPerSecond: number;
  readonly soldOutPerSecond: number;
  /** The average since the last sample; undefined without taps. */
  readonly answeredInMs?: number;
}

const allOf = ({ won, already, reserved, soldOut, notOpen, notYet, closed, limit }: Taps): number =>
  won + already + reserved + soldOut + notOpen + notYet + closed + limit;

export function useTapFigures(taps: Taps | null | undefined): TapFigures | undefined {
  const last = useRef<{ taps: Taps; atMs: number; figures: TapFigures } | undefined>(undefined);
  if (!taps) return last.current?.figures;
  const nowMs = performance.now();
  if (!last.current) last.current = { taps, atMs: nowMs, figures: still(taps) };
  const seconds = (nowMs - last.current.atMs) / 1000;
  if (seconds >= APART_SECONDS)
    last.current = { taps, atMs: nowMs, figures: between(last.current.taps, taps, seconds) };
  return last.current.figures;
}

const still = (taps: Taps): TapFigures => ({
  all: allOf(taps),
  perSecond: 0,
  winsPerSecond: 0,
  soldOutPerSecond: 0,
});

function between(before: Taps, now: Taps, seconds: number): TapFigures {
  const rate = (of: (taps: Taps) => number) => Math.max(0, Math.round((of(now) - of(before)) / seconds));
  const count = allOf(now) - allOf(before);
  return {
    all: allOf(now),
    perSecond: rate(allOf),
    winsPerSecond: rate(({ won }) => won),
    soldOutPerSecond: rate(({ soldOut }) => soldOut),
    answeredInMs: count > 0 ? Math.round((now.milliseconds - before.milliseconds) / count) : undefined,
  };
}
