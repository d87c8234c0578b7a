import type { Chart } from './chart';
import { type Figures, median, number, spread } from './measure';
import type { Stage } from './stage';

/** A table for the terminal and docs/performance.md. Every row has as many cells as the heading. */
export interface Table {
  readonly title: string;
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** A fact that the reader needs to read the table correctly. */
  readonly remark?: string;
}

type Own = Figures[string];

/** A table with a row for each variant. A column shows the median of a figure, or a text. */
export function tableOf(
  { first, ...about }: Pick<Table, 'title' | 'remark'> & { readonly first: string },
  figures: Figures,
  columns: Readonly<Record<string, string | ((own: Own, name: string) => string)>>,
): Table {
  const cells = Object.values(columns);
  return {
    ...about,
    heading: [first, ...Object.keys(columns)],
    rows: Object.entries(figures).map(([name, own]) => [
      name,
      ...cells.map((cell) => (typeof cell === 'string' ? number(median(own[cell]!)) : cell(own, name))),
    ]),
  };
}

export const spreadOf =
  (figure: string) =>
  (own: Own): string =>
    spread(own[figure]!);

/** A target, with the value that this run has reached. */
export interface Target {
  readonly name: string;
  readonly bound: string;
  readonly value: string;
  readonly isReached: boolean;
}

export const atLeast = (name: string, least: number, unit: string, value: number): Target => ({
  name,
  bound: `≥ ${least}${unit}`,
  value: `${number(value)}${unit}`,
  isReached: value >= least,
});

export const atMost = (name: string, most: number, unit: string, value: number): Target => ({
  name,
  bound: `≤ ${most}${unit}`,
  value: `${number(value)}${unit}`,
  isReached: value <= most,
});

export interface BenchResult {
  readonly tables: readonly Table[];
  readonly charts?: readonly Chart[];
  readonly targets: readonly Target[];
}

/** One question about speed. The compared things are measured side by side in the same run. */
export interface Bench {
  readonly name: string;
  readonly question: string;
  run(stage: Stage): Promise<BenchResult>;
}
