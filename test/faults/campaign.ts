import type { Page } from 'playwright-core';
import type { Kind } from './kind';
import { lineOf, sayFirst, type Summary } from './report';
import { Round, type RoundResult } from './round';
import { System } from './system';
import type { Wall } from './wall';

/** The checks read everything ever written, so they would become slower and slower. */
const ROUNDS_A_SYSTEM = 100;

export interface Turn {
  readonly number: number;
  readonly kind: Kind;
}

export interface CampaignOptions {
  readonly seed: number;
  readonly dist: string;
  readonly otherDist?: string;
  readonly lanes?: number;
  readonly wall?: Wall;
  readonly say: (line: string) => void;
  /** Stops at the first round with this fault. For systems that are broken on purpose. */
  readonly until?: RegExp;
  readonly interrupted: () => boolean;
}

/** Plays rounds in parallel lanes. Rounds on a cluster come last, because they need other systems. */
export async function play(
  turns: readonly Turn[],
  summary: Summary,
  options: CampaignOptions,
): Promise<void> {
  const { lanes = 1 } = options;
  for (const onCluster of [false, true]) {
    const queue = turns.filter(({ kind }) => (kind.onCluster ?? false) === onCluster).values();
    await Promise.all(Array.from({ length: lanes }, () => playLane(queue, summary, options)));
  }
}

/**
 * Plays rounds one after another on one system. After a broken round the system is kept for inspection, and
 * the next round runs on a new one.
 */
async function playLane(
  queue: IterableIterator<Turn>,
  summary: Summary,
  options: CampaignOptions,
): Promise<void> {
  const { seed, say, dist, otherDist, wall } = options;
  let system: System | undefined;
  let page: Page | undefined;
  let played = 0;
  try {
    for (const { number, kind } of queue) {
      if (options.interrupted()) return;
      system ??= await System.start(dist, otherDist, kind.onCluster);
      page ??= await wall?.show(system);
      played += 1;
      const round = new Round(system, kind, number, `${seed}/${number}/${kind.name}`);
      const result = await round.play();
      if (page) result.faults.push(...(await wall!.lies(page)));
      summary.add(result);
      say(lineOf(result, seed));
      const broken = result.faults.length > 0;
      if (!broken && played % ROUNDS_A_SYSTEM > 0) continue;
      const evidence = broken && options.until === undefined;
      if (evidence) explain(result, round, kind.terms, options);
      await page?.close();
      await system.stop();
      if (!evidence) system.discard();
      system = undefined;
      page = undefined;
      if (options.until && result.faults.some((fault) => options.until!.test(fault))) return;
    }
  } finally {
    await page?.close();
    await system?.stop();
    system?.discard();
  }
}

function explain(
  { number, kind, faults }: RoundResult,
  round: Round,
  terms: Kind['terms'],
  { seed, say }: CampaignOptions,
): void {
  sayFirst(faults, say);
  const withTerms = terms ? ` --terms ${terms.join()}` : '';
  say(`    again: npm run test:faults -- --seed ${seed} --round ${number} --only ${kind}${withTerms}`);
  say(`    evidence: ${round.saveEvidence()} and the logs next to it`);
}
