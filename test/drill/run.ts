import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { number } from '../bench/measure';
import { Stage } from '../bench/stage';
import { exitAfter } from '../harness/exit-after';
import { ARCHIVE_EVERY_SECONDS } from './backups';
import { Drill, type Figures, type Story } from './drill';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const MEBIBYTE = 1024 ** 2;

async function main(): Promise<boolean> {
  const { claims, backSeconds } = readOptions(process.argv.slice(2));
  Logger.overrideLogger(['error', 'fatal']);
  const stage = new Stage('full', 'drill');
  for (const signal of SIGNALS) process.once(signal, () => void stage.end().finally(() => process.exit(1)));
  try {
    return await drill(stage, claims, backSeconds);
  } finally {
    await stage.end();
  }
}

async function drill(stage: Stage, claims: number, backSeconds: number): Promise<boolean> {
  console.log(`${availableParallelism()} × ${cpus()[0]?.model.trim() || 'unknown processor'}`);
  const stories: Story[] = [
    { title: 'end of the archive', claimsSince: Math.floor(claims / 2) },
    { title: `${backSeconds} s before`, backMs: backSeconds * 1000 },
    { title: 'end, Redis lost', redisIsLost: true },
  ];
  console.log(`Making ${number(Math.ceil(claims / 2))} claims…`);
  const system = await Drill.begin(stage);
  await system.makeHistory(Math.ceil(claims / 2));
  const all: Figures[] = [];
  const faults: string[] = [];
  for (const story of stories) {
    console.log(`Losing Postgres in a rain, and restoring: ${story.title}…`);
    const outcome = await system.play(story);
    all.push(outcome.figures);
    faults.push(...outcome.faults.map((fault) => `${story.title}: ${fault}`));
  }
  console.log(table(stories, all));
  for (const fault of faults) console.log(fault);
  console.log(faults.length === 0 ? 'The backup can be restored.' : 'The drill has FAILED.');
  return faults.length === 0;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const size = (bytes: number): string => `${number(bytes / MEBIBYTE)} MiB`;

function table(stories: readonly Story[], all: readonly Figures[]): string {
  const rows: [string, (figures: Figures) => string][] = [
    ['claims', ({ claims }) => number(claims)],
    ['base backup', ({ baseBytes }) => size(baseBytes)],
    ['log since then', ({ logBytes }) => size(logBytes)],
    ['backing up', ({ backupMs }) => seconds(backupMs)],
    ['restoring the files', ({ restoreMs }) => seconds(restoreMs)],
    ['recovery of Postgres', ({ recoveryMs }) => seconds(recoveryMs)],
    ['start of the programs', ({ startMs }) => seconds(startMs)],
    ['first answered tap, after that', ({ firstTapMs }) => seconds(firstTapMs)],
    ['everything settled, after that', ({ settledMs }) => seconds(settledMs)],
    ['verify', ({ verifyMs }) => seconds(verifyMs)],
    ['last commits that Postgres lost', ({ lostCommitsMs }) => seconds(lostCommitsMs)],
    ['answers of winners compared', ({ told }) => number(told)],
    ['… given after the last commit kept', ({ toldSince }) => number(toldSince)],
    ['… lost', ({ lost }) => number(lost)],
  ];
  const lines = [
    ['restored to the', ...stories.map(({ title }) => title)],
    ...rows.map(([name, cell]) => [name, ...all.map(cell)]),
  ];
  return lines
    .map(([name, ...cells]) => [name!.padEnd(36), ...cells.map((cell) => cell.padStart(20))].join(''))
    .join('\n');
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: { claims: { type: 'string', default: '10000' }, back: { type: 'string', default: '60' } },
  });
  return {
    claims: between('claims', values.claims, 2, 2_000_000),
    backSeconds: between('back', values.back, 2 * ARCHIVE_EVERY_SECONDS, 3600),
  };
}

function between(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new Error(`--${name} must be a whole number from ${least} to ${most}.`);
  return value;
}

exitAfter(main(), 'npm run drill');
