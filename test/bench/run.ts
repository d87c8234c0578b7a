import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { exitAfter } from '../harness/exit-after';
import type { Bench, BenchResult, Table, Target } from './bench';
import { BENCHES } from './benches';
import { svgOf } from './chart';
import { number } from './measure';
import { type Size, Stage } from './stage';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Number of tiny benches at a time. They measure nothing, and mostly wait. */
const TINY_AT_ONCE = 2;

/** A bench that fails does not lose the figures of the others. */
async function main(): Promise<boolean> {
  const options = readOptions(process.argv.slice(2));
  Logger.overrideLogger(['error', 'fatal']);
  const { size } = options;
  console.log(`${machine()}, load average ${loadavg()[0]!.toFixed(1)} before the run, ${size}`);
  const waiting = [...benchesNamed(options.names)];
  const outcome: Outcome = { targets: [], failed: [] };
  const lane = async (): Promise<void> => {
    for (let bench = waiting.shift(); bench; bench = waiting.shift()) await perform(bench, options, outcome);
  };
  await Promise.all(Array.from({ length: size === 'tiny' ? TINY_AT_ONCE : 1 }, lane));
  return conclude(size, outcome);
}

async function perform(bench: Bench, { size, charts }: Options, outcome: Outcome): Promise<void> {
  console.log(`\n${bench.name}: ${bench.question}`);
  const began = performance.now();
  try {
    const result = await onStage(bench, size);
    const tables = result.tables.map(textOf);
    draw(result, charts);
    if (size === 'tiny') return;
    console.log(tables.join('\n'));
    outcome.targets.push(...result.targets);
  } catch (error) {
    console.error(`${bench.name} failed.`, error);
    outcome.failed.push(bench.name);
  } finally {
    console.log(`${bench.name} took ${number((performance.now() - began) / 1000)} s.`);
  }
}

function conclude(size: Size, { targets, failed }: Outcome): boolean {
  printTargets(targets);
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
  else if (size === 'tiny')
    console.log('\nThe benches run, and their books are right. Nothing was measured, and no target judged.');
  return failed.length === 0 && targets.every(({ isReached }) => isReached);
}

function benchesNamed(names: readonly string[]): readonly Bench[] {
  for (const name of names)
    if (!BENCHES.some((bench) => bench.name === name))
      throw new Error(`There is no bench ${name}: ${BENCHES.map((bench) => bench.name).join(', ')}.`);
  return names.length === 0 ? BENCHES : BENCHES.filter(({ name }) => names.includes(name));
}

const stages = new Set<Stage>();

async function onStage(bench: Bench, size: Size): Promise<BenchResult> {
  const stage = new Stage(size, bench.name);
  stages.add(stage);
  try {
    return await bench.run(stage);
  } finally {
    stages.delete(stage);
    await stage.end();
  }
}

const abandon = (): void =>
  void Promise.all([...stages].map((stage) => stage.end())).finally(() => process.exit(1));

function readOptions(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      charts: { type: 'string' },
    },
  });
  const { quick, tiny } = values;
  if (quick && tiny) throw new Error('A run is quick or tiny.');
  const size: Size = tiny ? 'tiny' : quick ? 'quick' : 'full';
  const charts = join(process.env.LOCAL_DIR || '.local', tiny ? 'charts-tiny' : 'charts');
  return { names: positionals, size, charts: values.charts ?? charts };
}

type Options = ReturnType<typeof readOptions>;

const machine = (): string =>
  `${availableParallelism()} × ${cpus()[0]?.model.trim() || 'unknown processor'}, Node ${process.versions.node}`;

function textOf({ title, heading, rows, remark }: Table): string {
  const widths = heading.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   ');
  return ['', title, line(heading), ...rows.map(line), ...(remark ? [remark] : [])].join('\n');
}

function printTargets(targets: readonly Target[]): void {
  if (targets.length === 0) return;
  const rows = targets.map(({ name, bound, value, isReached }) => [
    name,
    bound,
    value,
    isReached ? 'reached' : 'MISSED',
  ]);
  console.log(textOf({ title: 'Targets', heading: ['what', 'target', 'this run', ''], rows }));
}

function draw({ charts = [] }: BenchResult, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const chart of charts) writeFileSync(join(directory, `${chart.file}.svg`), svgOf(chart));
}

interface Outcome {
  readonly targets: Target[];
  readonly failed: string[];
}

for (const signal of SIGNALS) process.once(signal, abandon);
exitAfter(main(), 'npm run bench');
