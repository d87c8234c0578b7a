import { SLOT_COUNT } from './key-slot';

/** Clusters have three masters, or six, or twelve; or else a power of two. Together they are more than there are shards. */
const RADICES = [3, 2, 2, 2, 2, 2, 2, 2, 2, 2];

/**
 * The slot of each shard in a cluster. All of them lie at equal distances, so that masters with equal numbers of slots have
 * equal numbers of shards. Neighbours lie far apart: what is created one after the other is dealt to all masters in turn.
 */
export function slotsOfShards(count: number): number[] {
  const slots = new Array<number>(count);
  const inOrder = Array.from({ length: count }, (_, shard) => shard).sort((a, b) => placeOf(a) - placeOf(b));
  inOrder.forEach((shard, i) => (slots[shard] = Math.floor(((i + 0.5) * SLOT_COUNT) / count)));
  return slots;
}

/** From 0 to 1, each in another third than the two before it, and in another half of that third than the one before there. */
function placeOf(shard: number): number {
  let [place, width, rest] = [0, 1, shard];
  for (const radix of RADICES) {
    width /= radix;
    place += (rest % radix) * width;
    rest = Math.floor(rest / radix);
  }
  return place;
}
