import type { Wave } from './pace';

/** A fault in the instant of a wave. */
export type WaveFault = 'before-opening' | 'not-before-close' | 'not-after-previous';

export interface WaveWindow {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
}

/** Waves ascend, from the opening to before the close. */
export function waveFaultAt(
  waves: readonly Pick<Wave, 'atMs'>[],
  i: number,
  { opensAtMs, closesAtMs }: WaveWindow,
): WaveFault | undefined {
  const { atMs } = waves[i]!;
  if (atMs < opensAtMs) return 'before-opening';
  if (atMs >= closesAtMs) return 'not-before-close';
  return i > 0 && atMs <= waves[i - 1]!.atMs ? 'not-after-previous' : undefined;
}
