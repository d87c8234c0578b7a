import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Bench, type BenchResult, isReached, type Table, type Target, textOfTarget } from './bench';
import { BENCHES } from './benches';
import { svgOf } from './chart';
import { number } from './measure';
import { type Options, readOptions } from './options';
import { type Size, Stage } from './stage';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Number of tiny benches at a time. They measure nothing that another one could disturb, and mostly
 * wait for programs to start.
 */
const TINY_AT_ONCE = 2;

/**
 * `npm run bench`: reports which targets are reached. A bench that fails does not lose the figures
 * of another one.
 */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env.LOCAL_DIR || '.local');
  Logger.overrideLogger(['error', 'fatal']);
  const { size, json } = options;
  const load = loadavg()[0]!;
  console.log(`${machine()}, load average ${load.toFixed(1)} before the run, ${size}`);
  const waiting = [...benchesNamed(options.names)];
  const outcome: Outcome = { results: {}, failed: [] };
  const lane = async (): Promise<void> => {
    for (let bench = waiting.shift(); bench; bench = waiting.shift()) {
      await perform(bench, options, outcome);
      if (json !== undefined) writeFileSync(json, jsonOf(size, load, outcome));
    }
  };
  await Promise.all(Array.from({ length: size === 'tiny' ? TINY_AT_ONCE : 1 }, lane));
  conclude(size, outcome);
}

async function perform(bench: Bench, { size, charts }: Options, outcome: Outcome): Promise<void> {
  console.log(`\n${bench.name}: ${bench.question}`);
  const began = performance.now();
  try {
    const result = await onStage(bench, size);
    const tables = result.tables.map(textOf);
    draw(result, charts);
    outcome.results[bench.name] = result;
    if (size !== 'tiny') console.log(tables.join('\n'));
  } catch (error) {
    console.error(`${bench.name} failed.`, error);
    outcome.failed.push(bench.name);
  }
  console.log(`${bench.name} took ${number((performance.now() - began) / 1000)} s.`);
}

function conclude(size: Size, { results, failed }: Outcome): void {
  const targets = size === 'tiny' ? [] : targetsOf(results);
  printTargets(targets);
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
  else if (size === 'tiny')
    console.log('\nThe benches run, and their books are right. Nothing was measured, and no target judged.');
  if (failed.length > 0 || !targets.every(isReached)) process.exitCode = 1;
}

const targetsOf = (results: Record<string, BenchResult>): Target[] =>
  Object.values(results).flatMap((result) => result.targets);

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
  const rows = targets.map((target) => [
    target.name,
    textOfTarget(target),
    `${number(target.value)}${target.unit}`,
    isReached(target) ? 'reached' : 'MISSED',
  ]);
  console.log(textOf({ title: 'Targets', heading: ['what', 'target', 'this run', ''], rows }));
}

function draw({ charts = [] }: BenchResult, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const chart of charts) writeFileSync(join(directory, `${chart.file}.svg`), svgOf(chart));
}

interface Outcome {
  readonly results: Record<string, BenchResult>;
  readonly failed: string[];
}

function jsonOf(size: Size, load: number, { results, failed }: Outcome): string {
  const targets = targetsOf(results).map((target) => ({
    name: target.name,
    target: textOfTarget(target),
    value: target.value,
    ok: isReached(target),
  }));
  const run = { machine: machine(), loadBefore: load, size, failed };
  return JSON.stringify({ ...run, targets, benches: results }, null, 1);
}

for (const signal of SIGNALS) process.once(signal, abandon);
main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    console.error('Usage: npm run bench -- --help');
    process.exitCode = 1;
  })
  .finally(() => process.exit());
