import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_NAMES, type BenchName, fingerprintOf } from './code-path';
import type { Size } from './stage';

const RUNS = 'figures.json';

/** The line beside figures, which begins with the name of their bench. */
export const LINE = /^Measured by `npm run bench -- (\w+)\b.*$/gm;

/** The run of a bench from which its figures in the docs are. */
export interface Measured {
  readonly command: string;
  readonly commit: string;
  readonly date: string;
  /** Of the code path then. Without it nobody noted the version, and the commit is the one that wrote the figures down. */
  readonly fingerprint?: string;
}

export type Runs = Partial<Record<BenchName, Measured>>;

/** A run that begins now. */
export function runOf(name: BenchName, size: Size): Measured {
  const command = `npm run bench -- ${name}${size === 'full' ? '' : ` --${size}`}`;
  const date = new Date().toISOString().slice(0, 10);
  return { command, commit: commitNow(), date, fingerprint: fingerprintOf(name) };
}

function commitNow(): string {
  const describe = ['describe', '--always', '--dirty', '--exclude', '*'];
  try {
    return execFileSync('git', describe, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'a copy without commits';
  }
}

export const readRuns = (docs = 'docs'): Runs => checked(JSON.parse(readFileSync(join(docs, RUNS), 'utf8')));

/** @throws Error with one line where an entry is not the run of a bench */
export function checked(runs: Record<string, Measured>): Runs {
  for (const [name, run] of Object.entries(runs)) {
    const { command, commit, date, fingerprint } = run;
    const isRun =
      BENCH_NAMES.includes(name as BenchName) &&
      new RegExp(`^npm run bench -- ${name}( --quick)?$`).test(command) &&
      commit !== '' &&
      /^\d{4}-\d\d-\d\d$/.test(date) &&
      (fingerprint === undefined || /^[0-9a-f]{12}$/.test(fingerprint));
    if (!isRun) throw new Error(`${name} is not the run of a bench: ${JSON.stringify(run)}`);
  }
  return runs;
}

export function lineOf(name: BenchName, { command, commit, date, fingerprint }: Measured): string {
  const by = `Measured by \`${command}\` at`;
  if (fingerprint === undefined) return `${by} a version that nobody noted, before ${commit} (${date}).`;
  const isSame = fingerprint === fingerprintOf(name);
  return `${by} ${commit} (${date})${isSame ? '; its code path is the same today' : ', before the last change of its code path'}.`;
}

/** A page with its lines as they should be. @throws Error with one line where it names a run that is not on record */
export function corrected(page: string, runs: Runs): string {
  return page.replace(LINE, (_, name: BenchName) => {
    const run = runs[name];
    if (!run) throw new Error(`A page of the docs names a run of ${name}, and ${RUNS} has none.`);
    return lineOf(name, run);
  });
}

export const pagesOf = (docs = 'docs'): string[] =>
  readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(docs, name));

/** `--stale`, `--stale --write` and `--cite FILE`: the lines to print. */
export function keepFigures({ write, cite }: { write: boolean; cite?: string }, docs = 'docs'): string[] {
  const runs = { ...readRuns(docs), ...(cite === undefined ? {} : citedIn(cite)) };
  if (cite !== undefined) writeFileSync(join(docs, RUNS), `${JSON.stringify(runs, null, 2)}\n`);
  if (write || cite !== undefined)
    for (const page of pagesOf(docs)) writeFileSync(page, corrected(readFileSync(page, 'utf8'), runs));
  const stale = BENCH_NAMES.filter((name) => runs[name]?.fingerprint !== fingerprintOf(name));
  return stale.map((name) => `${name}: ${runs[name] ? lineOf(name, runs[name]) : 'No figures in the docs.'}`);
}

function citedIn(file: string): Runs {
  const { runs = {} } = JSON.parse(readFileSync(file, 'utf8')) as { runs?: Record<string, Measured> };
  if (Object.keys(runs).length === 0) throw new Error(`${file} has no figures that docs can cite.`);
  return checked(runs);
}
