import { SLOT_COUNT } from './key-slot';

/** Clusters have 3, 6 or 12 masters, or a power of two. The product exceeds that of shards. */
const RADICES = [3, 2, 2, 2, 2, 2, 2, 2, 2, 2];

/**
 * Returns the slot of each shard: at equal distances, so that equal masters have equal numbers of shards.
 * Neighbouring shards are far apart, so successive activities go to all masters in turn.
 */
export function slotsOfShards(count: number): number[] {
  const slots = new Array<number>(count);
  const inOrder = Array.from({ length: count }, (_, shard) => shard).sort((a, b) => placeOf(a) - placeOf(b));
  inOrder.forEach((shard, i) => (slots[shard] = Math.floor(((i + 0.5) * SLOT_COUNT) / count)));
  return slots;
}

/**
 * A position from 0 to 1, in a different third from the two previous shards, and in a different half of that
 * third from the last shard in it.
 */
function placeOf(shard: number): number {
  let [place, width, rest] = [0, 1, shard];
  for (const radix of RADICES) {
    width /= radix;
    place += (rest % radix) * width;
    rest = Math.floor(rest / radix);
  }
  return place;
}
