import { SLOT_COUNT } from './key-slot';

/**
 * Clusters have three masters, or six, or twelve; or else a power of two. The product is more than
 * the number of shards.
 */
const RADICES = [3, 2, 2, 2, 2, 2, 2, 2, 2, 2];

/**
 * Returns the slot of each shard in a cluster. The slots lie at equal distances, so that masters
 * with equal numbers of slots have equal numbers of shards. Neighbours lie far apart: activities
 * created one after the other go to all masters in turn.
 */
export function slotsOfShards(count: number): number[] {
  const slots = new Array<number>(count);
  const inOrder = Array.from({ length: count }, (_, shard) => shard).sort((a, b) => placeOf(a) - placeOf(b));
  inOrder.forEach((shard, i) => (slots[shard] = Math.floor(((i + 0.5) * SLOT_COUNT) / count)));
  return slots;
}

/**
 * Returns a place from 0 to 1, in another third than the two shards before it, and in another half
 * of that third than the last shard there.
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
