import type { Chart } from './chart';
import type { Stage } from './stage';

/** A table for the terminal and docs/performance.md. Every row has as many cells as the heading. */
export interface Table {
  readonly title: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A fact that the reader needs to read the table correctly. */
  readonly remark?: string;
}

/** One of the promises of PERFORMANCE, with the value that this run has reached. */
export interface Target {
  readonly name: string;
  /** The least or the most value that meets the target. */
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
  readonly unit: string;
  readonly value: number;
}

/**
 * Every figure that the tables are made from: name of the variant → name of the figure → one value
 * per round.
 */
export type Figures = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

export interface BenchResult {
  readonly tables: readonly Table[];
  readonly charts?: readonly Chart[];
  readonly targets: readonly Target[];
  readonly figures: Figures;
}

/** One question about speed. The compared things are measured side by side in the same run. */
export interface Bench {
  readonly name: string;
  /** The question, in one line. */
  readonly question: string;
  run(stage: Stage): Promise<BenchResult>;
}

export const isReached = ({ target, value }: Target): boolean =>
  'atLeast' in target ? value >= target.atLeast : value <= target.atMost;

export const textOfTarget = ({ target, unit }: Target): string =>
  'atLeast' in target ? `≥ ${target.atLeast}${unit}` : `≤ ${target.atMost}${unit}`;
