import type { Chart } from './chart';
import type { Stage } from './stage';

/** A table of the terminal and of docs/performance.md. Every row has as many cells as the heading. */
export interface Table {
  readonly title: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What a reader must know to read it correctly. */
  readonly remark?: string;
}

/** One of the promises of PERFORMANCE, with what this run has reached. */
export interface Target {
  readonly name: string;
  /** At least this, or at most. */
  readonly target: { readonly atLeast: number } | { readonly atMost: number };
  readonly unit: string;
  readonly value: number;
}

/** Every figure behind the tables: name of the variant → name of the figure → one value a round. */
export type Figures = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

export interface BenchResult {
  readonly tables: readonly Table[];
  readonly charts?: readonly Chart[];
  readonly targets: readonly Target[];
  readonly figures: Figures;
}

/** One question about speed, answered by measuring the compared things side by side in the same run. */
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
