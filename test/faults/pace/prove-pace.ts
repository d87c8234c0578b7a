import { dirname } from 'node:path';
import { DIST, onCopy, unbundle } from '../copy';
import { apply } from '../edit';
import { pacedRains } from './paced-rains';
import type { PacePlan } from './plan';
import { PACE_VARIANTS, type PaceVariant } from './variants';

/**
 * Breaks the pace in each way whose name contains the word, on a copy of the programs. Returns true if
 * the proof complains about each.
 */
export async function provePace(plan: Omit<PacePlan, 'dist'>, word = ''): Promise<boolean> {
  const variants = PACE_VARIANTS.filter(({ name }) => name.includes(word));
  let caught = 0;
  for (const variant of variants) {
    const fault = (await faultsOf(variant, plan)).find((line) => variant.complaint.test(line));
    plan.say(fault === undefined ? `MISSED  ${variant.name}` : `caught  ${variant.name}: ${fault}`);
    if (fault !== undefined) caught += 1;
  }
  plan.say(`broken variants ${variants.length}, caught ${caught}`);
  return variants.length > 0 && caught === variants.length;
}

const faultsOf = ({ edit }: PaceVariant, plan: Omit<PacePlan, 'dist'>): Promise<string[]> =>
  onCopy(dirname(DIST), async (dist) => {
    unbundle(dist);
    apply(edit, dist);
    return pacedRains({ ...plan, dist, say: () => undefined });
  });
