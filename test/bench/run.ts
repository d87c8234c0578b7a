import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { type Bench, type BenchResult, isReached, type Table, type Target, textOfTarget } from './bench';
import { BENCHES } from './benches';
import { svgOf } from './chart';
import { number } from './measure';
import { type Options, readOptions } from './options';
import { Stage } from './stage';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** `npm run bench`: measures side by side, and says which targets are reached. One that fails takes no figures of another with it. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env.LOCAL_DIR || '.local');
  Logger.overrideLogger(['error', 'fatal']);
  const load = loadavg()[0]!;
  console.log(
    `${machine()}, load average ${load.toFixed(1)} before the run${options.quick ? ', quick' : ''}`,
  );
  const benches = benchesNamed(options.names);
  const results: Record<string, BenchResult> = {};
  const failed: string[] = [];
  for (const bench of benches) {
    console.log(`\n${bench.name}: ${bench.question}`);
    try {
      const result = await perform(bench, options);
      result.tables.forEach(print);
      draw(result, options.charts);
      results[bench.name] = result;
    } catch (error) {
      console.error(`${bench.name} failed.`, error);
      failed.push(bench.name);
    }
    if (options.json !== undefined) writeFileSync(options.json, jsonOf(options, load, results, failed));
  }
  const targets = targetsOf(results);
  printTargets(targets);
  if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}.`);
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

async function perform(bench: Bench, { quick }: Options): Promise<BenchResult> {
  const stage = new Stage(quick, bench.name);
  const abandon = () => void stage.end().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.once(signal, abandon);
  try {
    return await bench.run(stage);
  } finally {
    for (const signal of SIGNALS) process.off(signal, abandon);
    await stage.end();
  }
}

const machine = (): string =>
  `${availableParallelism()} × ${cpus()[0]?.model.trim() || 'unknown processor'}, Node ${process.versions.node}`;

function print({ title, heading, rows, remark }: Table): void {
  const widths = heading.map((cell, i) => Math.max(cell.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('   ');
  console.log(['', title, line(heading), ...rows.map(line), ...(remark ? [remark] : [])].join('\n'));
}

function printTargets(targets: readonly Target[]): void {
  if (targets.length === 0) return;
  const rows = targets.map((target) => [
    target.name,
    textOfTarget(target),
    `${number(target.value)}${target.unit}`,
    isReached(target) ? 'reached' : 'MISSED',
  ]);
  print({ title: 'Targets', heading: ['what', 'target', 'this run', ''], rows });
}

function draw({ charts }: BenchResult, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const chart of charts) writeFileSync(join(directory, `${chart.file}.svg`), svgOf(chart));
}

function jsonOf(
  { quick }: Options,
  load: number,
  results: Record<string, BenchResult>,
  failed: readonly string[],
): string {
  const summary = targetsOf(results).map((target) => ({
    name: target.name,
    target: textOfTarget(target),
    value: target.value,
    ok: isReached(target),
  }));
  return JSON.stringify(
    { machine: machine(), loadBefore: load, quick, failed, targets: summary, benches: results },
    null,
    1,
  );
}

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    console.error('Usage: npm run bench -- --help');
    process.exitCode = 1;
  })
  .finally(() => process.exit());
