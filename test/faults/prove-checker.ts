import type { Variant } from './broken-variants';
import { play } from './campaign';
import { unbundle } from './copy';
import { apply } from './edit';
import { kindsNamed } from './kinds';
import { Summary } from './report';

const ROUNDS_MAX = 40;

export interface ProofOptions {
  readonly seed: number;
  /** How many variants are tried at the same time. */
  readonly lanes: number;
  readonly say: (line: string) => void;
  readonly interrupted: () => boolean;
  /** Lends a new copy of the compiled programs to the work, and removes it afterwards. */
  readonly onCopy: (work: (dist: string) => Promise<void>) => Promise<void>;
}

/** Proves that the checker finds faults: it must catch every broken variant. */
export async function proveChecker(variants: readonly Variant[], options: ProofOptions): Promise<boolean> {
  const queue = variants.values();
  let caught = 0;
  const lane = async () => {
    for (const variant of queue) {
      if (options.interrupted()) return;
      if (await isCaught(variant, options)) caught += 1;
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  options.say(`broken variants ${variants.length}, caught ${caught}`);
  return caught === variants.length;
}

async function isCaught(
  variant: Variant,
  { seed, say, interrupted, onCopy }: ProofOptions,
): Promise<boolean> {
  const summary = new Summary();
  const kinds = variant.kinds
    .flatMap(kindsNamed)
    .map((kind) => ({ ...kind, overParts: false, terms: variant.terms }));
  const turns = Array.from({ length: ROUNDS_MAX }, (_, i) => ({
    number: i + 1,
    kind: kinds[i % kinds.length]!,
  }));
  await onCopy(async (dist) => {
    unbundle(dist);
    for (const edit of variant.edits) apply(edit, dist);
    const complaint = variant.complaint;
    await play(turns, summary, { seed, dist, say: () => undefined, interrupted, until: complaint });
  });
  const last = summary.results.at(-1);
  const fault = last?.faults.find((line) => variant.complaint.test(line));
  const rounds = summary.results.length;
  const others = new Set(summary.results.flatMap((result) => result.faults.slice(0, 1)));
  say(
    fault === undefined
      ? `MISSED  ${variant.name}: not caught in ${rounds} rounds of ${variant.kinds.join(', ')}; heard ${[...others].join(' | ') || 'nothing'}`
      : `caught  ${variant.name}: in round ${rounds} (${last!.kind}): ${fault}`,
  );
  return fault !== undefined;
}
