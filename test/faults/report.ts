import { groupBy } from './group';
import type { RoundResult } from './round';

const KIND_WIDTH = 36;
const FAULTS_SHOWN = 12;

/** Prints the first faults, and how many more there are. */
export function sayFirst(faults: readonly string[], say: (line: string) => void): void {
  faults.slice(0, FAULTS_SHOWN).forEach((fault) => say(`    ${fault}`));
  if (faults.length > FAULTS_SHOWN) say(`    and ${faults.length - FAULTS_SHOWN} more`);
}

const seconds = (ms: number | undefined): string => (ms === undefined ? '-' : `${(ms / 1000).toFixed(1)} s`);

export function lineOf(result: RoundResult, seed: number): string {
  const { number, kind, hits, told, credited } = result;
  const columns = [
    `round ${number}`.padEnd(11),
    `seed ${seed}`,
    kind.padEnd(KIND_WIDTH),
    `told ${told}`.padEnd(9),
    `credited ${credited}`.padEnd(13),
    `grabs ${seconds(result.grabsMs)}`.padEnd(12),
    `money ${seconds(result.moneyMs)}`.padEnd(12),
    `took ${seconds(result.tookMs)}`.padEnd(11),
    wordFor(result),
    `(${hits.join(' ') || 'nothing hit'})`,
  ];
  return columns.join('  ');
}

function wordFor({ faults, missed }: RoundResult): string {
  if (faults.length > 0) return 'BROKEN';
  return missed ? 'missed' : 'ok    ';
}

export class Summary {
  readonly results: RoundResult[] = [];

  add(result: RoundResult): void {
    this.results.push(result);
  }

  get passed(): boolean {
    return this.results.every((result) => result.faults.length === 0);
  }

  lines(): string[] {
    const sum = (figure: (result: RoundResult) => number) =>
      this.results.reduce((total, result) => total + figure(result), 0);
    const rows = [...groupBy(this.results, (result) => result.kind)]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([kind, results]) => rowOf(kind, results));
    const rounds = (which: (result: RoundResult) => boolean) => this.results.filter(which).length;
    const counts = [
      `rounds ${this.results.length}`,
      `kill rounds ${rounds(({ kind }) => kind.startsWith('kill-'))}`,
      `amnesia rounds ${rounds(({ amnesia }) => amnesia)}`,
      `rounds over parts ${rounds(({ parts }) => parts > 1)}`,
      `kills ${sum((result) => result.kills)}`,
      `told ${sum((result) => result.told)}`,
      `credited ${sum((result) => result.credited)}`,
      `paid out ${sum((result) => result.paidOut)}`,
      `lost ${sum((result) => result.lost)}`,
      `paid twice ${sum((result) => result.paidTwice)}`,
      `rounds without a win ${rounds(({ told }) => told === 0)}`,
      `broken rounds ${rounds(({ faults }) => faults.length > 0)}`,
    ];
    return ['', HEADING, ...rows, '', counts.join(', ')];
  }
}

const HEADING = [
  'kind'.padEnd(KIND_WIDTH),
  'rounds',
  '   hit',
  'broken',
  'grabs p99',
  '  max',
  'money p99',
  '  max',
].join('  ');

function rowOf(kind: string, results: readonly RoundResult[]): string {
  const grabs = results.flatMap((result) => result.grabsMs ?? []);
  const money = results.flatMap((result) => result.moneyMs ?? []);
  return [
    kind.padEnd(KIND_WIDTH),
    String(results.length).padStart(6),
    String(results.filter((result) => !result.missed).length).padStart(6),
    String(results.filter((result) => result.faults.length > 0).length).padStart(6),
    seconds(percentile(grabs, 0.99)).padStart(9),
    seconds(percentile(grabs, 1)).padStart(6),
    seconds(percentile(money, 0.99)).padStart(9),
    seconds(percentile(money, 1)).padStart(6),
  ].join('  ');
}

function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1];
}
