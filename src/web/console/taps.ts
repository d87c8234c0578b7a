import type { Schema } from '../../../libs/client';

type Taps = NonNullable<Schema<'ProgressDto'>['taps']>;

/** Counts are added up once a second: closer samples say little. */
const APART_MS = 900;

/** All figures come from one sample, so that there are never more wins than taps. */
export interface TapFigures {
  readonly all: number;
  readonly won: number;
  readonly soldOut: number;
  readonly perSecond: number;
  readonly winsPerSecond: number;
  /** The average since the last sample; undefined without taps. */
  readonly answeredInMs?: number;
}

const allOf = ({ won, already, reserved, soldOut, notOpen, notYet, closed, limit }: Taps): number =>
  won + already + reserved + soldOut + notOpen + notYet + closed + limit;

/** Turns the counts of taps, as they are drawn, into figures. */
export class TapWatch {
  private last?: { readonly taps: Taps; readonly atMs: number; readonly figures: TapFigures };

  /** A page draws the same counts again whenever anything else on it changes: that is no new sample. */
  figuresOf(taps: Taps | null | undefined, nowMs: number): TapFigures | undefined {
    const { last } = this;
    if (taps && taps !== last?.taps && !(last && nowMs - last.atMs < APART_MS))
      this.last = { taps, atMs: nowMs, figures: last ? between(last, taps, nowMs) : still(taps) };
    return this.last?.figures;
  }
}

const still = (taps: Taps): TapFigures => ({
  all: allOf(taps),
  won: taps.won,
  soldOut: taps.soldOut,
  perSecond: 0,
  winsPerSecond: 0,
});

function between(
  before: { readonly taps: Taps; readonly atMs: number },
  now: Taps,
  nowMs: number,
): TapFigures {
  const seconds = (nowMs - before.atMs) / 1000;
  const rate = (of: (taps: Taps) => number) => Math.max(0, Math.round((of(now) - of(before.taps)) / seconds));
  const count = allOf(now) - allOf(before.taps);
  return {
    ...still(now),
    perSecond: rate(allOf),
    winsPerSecond: rate(({ won }) => won),
    answeredInMs: count > 0 ? Math.round((now.milliseconds - before.taps.milliseconds) / count) : undefined,
  };
}
