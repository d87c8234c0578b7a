import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { exitAfter } from '../harness/exit-after';
import { VARIANTS, type Variant } from './broken-variants';
import { type CampaignOptions, play, type Turn } from './campaign';
import { DIST, onCopy } from './copy';
import { kindOfRound, KINDS, kindsNamed } from './kinds';
import { codeRain } from './code-rain';
import { paidRain } from './paid-rain';
import type { Kind, Term } from './kind';
import { conclude } from './proof';
import { proveChecker } from './prove-checker';
import { limitedRains } from './limited-rains';
import { Summary } from './report';
import { Wall } from './wall';

/** The terminal signals every process, and each parent passes its signal on: one press arrives several times. */
const SAME_PRESS_MS = 1_000;

async function main(): Promise<boolean> {
  const options = readOptions(process.argv.slice(2));
  Logger.overrideLogger(false);
  const interrupted = untilInterrupted();
  const common = { seed: options.seed, say: (line: string) => console.log(line), interrupted };
  const passed = await (proofOf(options, common) ?? campaign(options, common));
  return passed && !interrupted();
}

/** Returns whether the round under way is to be the last one. */
function untilInterrupted(): () => boolean {
  let pressedAt: number | undefined;
  const press = () => {
    if (pressedAt === undefined)
      console.log('This round is the last one. Press Ctrl-C again to end at once.');
    else if (performance.now() - pressedAt > SAME_PRESS_MS) process.exit(1);
    pressedAt ??= performance.now();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, press);
  return () => pressedAt !== undefined;
}

type Common = Pick<CampaignOptions, 'seed' | 'say' | 'interrupted'>;

/** Plays a separate story, if one is requested instead of rounds. */
function proofOf(options: Options, common: Common): Promise<boolean> | undefined {
  const { payouts, limits, codes, proveChecker: isToBeProven, lanes, only } = options;
  const plan = { ...common, dist: DIST };
  if (payouts) return conclude(plan, paidRain({ ...plan, ...payouts }));
  if (limits) return conclude(plan, limitedRains(plan));
  if (codes) return conclude(plan, codeRain({ ...plan, codes }));
  if (!isToBeProven) return undefined;
  const onCopyOf = (work: (dist: string) => Promise<void>) => onCopy(dirname(DIST), work);
  return proveChecker(variantsNamed(only), { ...common, lanes, onCopy: onCopyOf });
}

async function campaign(options: Options, common: Common): Promise<boolean> {
  const summary = new Summary();
  const wall = options.wall ? await Wall.open() : undefined;
  const turns = turnsOf(options);
  await play(turns, summary, {
    ...common,
    dist: DIST,
    otherDist: otherDistOf(options),
    lanes: options.lanes,
    wall,
  });
  await wall?.close();
  summary.lines().forEach(common.say);
  const left = turns.filter(({ number }) => !summary.results.some((result) => result.number === number));
  if (left.length > 0)
    common.say(
      `not played: ${left.length} rounds, ${left.filter(({ kind }) => kind.onCluster).length} of them on a cluster`,
    );
  if (wall) common.say(wall.line);
  return summary.passed;
}

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      round: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      lanes: { type: 'string', default: '1' },
      beside: { type: 'string' },
      terms: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      wall: { type: 'boolean', default: false },
      'prove-checker': { type: 'boolean', default: false },
      payouts: { type: 'string' },
      'per-second': { type: 'string', default: '2000' },
      days: { type: 'string', default: '1' },
      limits: { type: 'boolean', default: false },
      codes: { type: 'string' },
    },
  });
  const { round, rounds, seed, lanes, 'prove-checker': proveChecker, payouts, codes, ...rest } = values;
  return {
    ...rest,
    proveChecker,
    codes: codes === undefined ? undefined : positive('codes', codes),
    payouts: payouts && {
      winners: positive('payouts', payouts),
      perSecond: positive('per-second', rest['per-second']),
      days: positive('days', rest.days),
    },
    from: round === undefined ? 1 : positive('round', round),
    rounds: positive('rounds', rounds ?? (round === undefined ? '20' : '1')),
    seed: seed === undefined ? Date.now() % 1_000_000 : positive('seed', seed),
    lanes: positive('lanes', lanes),
  };
}

type Options = ReturnType<typeof readOptions>;

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name} must be a whole number of at least 1.`);
  return number;
}

const variantsNamed = (word = ''): Variant[] => VARIANTS.filter(({ name }) => name.includes(word));

function otherDistOf({ beside }: Options): string | undefined {
  if (beside === undefined) return undefined;
  const dist = resolve(beside, 'dist');
  if (!existsSync(dist)) throw new Error(`--beside ${beside}: it has no dist; run npm run build there.`);
  return dist;
}

function turnsOf({ rounds, seed, from, only, terms, smoke, beside }: Options): Turn[] {
  const given = terms?.split(',') as readonly Term[] | undefined;
  // Older programs stay away only from rains with the terms of their kind, so those terms remain.
  const withTerms = (kind: Kind) => ({
    ...kind,
    terms: kind.olderBeside ? kind.terms : (given ?? kind.terms),
  });
  const named = (only === undefined ? KINDS : kindsNamed(only)).map(withTerms);
  const kinds = named.filter(({ needsOtherVersion }) => !needsOtherVersion || beside !== undefined);
  if (kinds.length === 0)
    throw new Error(`There is no kind ${only}. Kinds: ${KINDS.map((kind) => kind.name).join(', ')}.`);
  if (smoke) return kinds.filter(({ long }) => !long).map((kind, i) => ({ number: i + 1, kind }));
  return Array.from({ length: rounds }, (_, i) => {
    const number = from + i;
    return { number, kind: kindOfRound(kinds, seed, number) };
  });
}

exitAfter(main(), 'npm run test:faults');
