import { readdirSync, readFileSync } from 'node:fs';

/** Name of the variant → name of the figure → one value per round. */
export type Figures = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;

export type Sample = Readonly<Record<string, number>>;

export interface Variant {
  readonly name: string;
  run(): Promise<Sample>;
}

/**
 * Runs all variants in every round, in turn forwards and backwards, so that other work of the
 * machine hits all of them alike. The first round only warms up, unless no other follows.
 */
export async function interleave(
  variants: readonly Variant[],
  rounds: number,
  advance: () => void = () => undefined,
): Promise<Figures> {
  const figures: Record<string, Record<string, number[]>> = Object.fromEntries(
    variants.map(({ name }) => [name, {}]),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const variant of round % 2 === 0 ? variants : [...variants].reverse()) {
      const sample = await variant.run();
      advance();
      if (round === 0 && rounds > 0) continue;
      const own = figures[variant.name]!;
      for (const [name, value] of Object.entries(sample)) (own[name] ??= []).push(value);
    }
  }
  return figures;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Returns the nearest rank; `share` 0.99 is the 99th percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** Compares two figures round by round: a disturbance hits both in the same minute. */
export const medianRatio = (over: readonly number[], under: readonly number[]): number =>
  median(over.map((value, round) => value / under[round]!));

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fraction = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Formats three digits: more would be noise. */
export const number = (value: number): string => (value >= 1000 ? count : fraction).format(value);

export const spread = (values: readonly number[]): string =>
  `${number(median(values))} (${number(Math.min(...values))} – ${number(Math.max(...values))})`;

/** Processor time that the threads of a process have used since they started, in seconds. */
export const cpuSeconds = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadSeconds(pid, thread), 0);

/** Reads nanoseconds: the figures of `stat` are hundredths of a second. */
function threadSeconds(pid: number, thread: string): number {
  const [onProcessor] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
  return Number(onProcessor) / 1e9;
}

/** Processor time of several processes during the work, and its duration, in seconds. */
export async function clocked<T>(
  pids: readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; cpu: number; seconds: number }> {
  const used = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = used();
  const began = performance.now();
  const result = await work();
  return { result, cpu: used() - before, seconds: (performance.now() - began) / 1000 };
}

const KIB = 1024;

/** Resident memory of a process in bytes, own and shared: now, and at its peak. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * KIB;
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}
