import type { PathStep } from '../packet-proof';
import { HASH_BYTES, Message } from './sha256';

/** A tile is the part of a tree below one node of the row of this height. */
const TILE_HEIGHT = 8;
export const LEAVES_PER_TILE = 2 ** TILE_HEIGHT;

/** The part of a tree that is stored. The rest is computed from the leaves of a tile. */
export interface PacketTree {
  readonly root: Buffer;
  /** The rows above the tiles without the root, concatenated; empty if there is only one tile. */
  readonly upper: Buffer;
}

/** Writes the leaf of this index. */
export type WriteLeaf = (index: number, target: DataView, offset: number) => void;

/** The hash of an inner node: the byte 1 and both nodes below it. */
const node = new Message(1 + 2 * HASH_BYTES);
node.view.setUint8(0, 1);

/** A row of hashes. */
class Row {
  readonly bytes: Buffer;
  private readonly view: DataView;

  constructor(readonly length: number) {
    this.bytes = Buffer.alloc(length * HASH_BYTES);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }

  at(index: number): Buffer {
    return this.bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
  }

  /** Writes the leaves of a tile. Returns their number. */
  fill(tile: number, count: number, write: WriteLeaf): number {
    const first = tile * LEAVES_PER_TILE;
    const leaves = leavesIn(tile, count);
    for (let index = 0; index < leaves; index++) write(first + index, this.view, index * HASH_BYTES);
    return leaves;
  }

  /** Writes the row above these first nodes, possibly into the same row. An odd node moves up unchanged. */
  join(length: number, above: Row): void {
    for (let left = 0; left < length; left += 2) {
      const [from, to] = [left * HASH_BYTES, (left / 2) * HASH_BYTES];
      if (left + 1 === length) above.bytes.set(this.at(left), to);
      else this.joinInto(from, above.view, to);
    }
  }

  private joinInto(from: number, target: DataView, offset: number): void {
    for (let byte = 0; byte < 2 * HASH_BYTES; byte += 4)
      node.view.setInt32(1 + byte, this.view.getInt32(from + byte));
    node.hashInto(target, offset);
  }
}

const leavesIn = (tile: number, count: number): number =>
  Math.min(LEAVES_PER_TILE, count - tile * LEAVES_PER_TILE);

const half = (length: number): number => Math.ceil(length / 2);

function rowsUpTo(bottom: Row): Row[] {
  const rows = [bottom];
  for (let row = bottom; row.length > 1; row = rows.at(-1)!) {
    const above = new Row(half(row.length));
    row.join(row.length, above);
    rows.push(above);
  }
  return rows;
}

export function packetTree(count: number, write: WriteLeaf): PacketTree {
  const tiles = new Row(Math.ceil(count / LEAVES_PER_TILE));
  // One row for all tiles: a row for each would leave a hundred megabytes behind.
  const row = new Row(LEAVES_PER_TILE);
  for (let tile = 0; tile < tiles.length; tile++) {
    for (let length = row.fill(tile, count, write); length > 1; length = half(length)) row.join(length, row);
    tiles.at(tile).set(row.at(0));
  }
  const rows = rowsUpTo(tiles);
  return { root: rows.pop()!.bytes, upper: Buffer.concat(rows.map(({ bytes }) => bytes)) };
}

/** The neighbours on the path from a tile to the root: the position of each in `PacketTree.upper`. */
export function keptSteps(
  leaf: number,
  count: number,
): { readonly side: PathStep['side']; readonly offset: number }[] {
  const steps = [];
  let start = 0;
  for (
    let length = Math.ceil(count / LEAVES_PER_TILE), index = Math.floor(leaf / LEAVES_PER_TILE);
    length > 1;
    [length, index] = [half(length), Math.floor(index / 2)]
  ) {
    const side = sideOf(index, length);
    if (side) steps.push({ side, offset: start + neighbourOf(index) * HASH_BYTES });
    start += length * HASH_BYTES;
  }
  return steps;
}

/**
 * Returns the path from a leaf to the root.
 *
 * @param write called for the leaves of one tile
 * @param kept the hashes of {@link keptSteps}
 */
export function pathOf(leaf: number, count: number, write: WriteLeaf, kept: readonly Buffer[]): PathStep[] {
  const tile = Math.floor(leaf / LEAVES_PER_TILE);
  const leaves = new Row(leavesIn(tile, count));
  leaves.fill(tile, count, write);
  const rows = rowsUpTo(leaves);
  const within = rows.flatMap((row, height) => {
    const index = Math.floor((leaf % LEAVES_PER_TILE) / 2 ** height);
    const side = sideOf(index, row.length);
    return side ? [{ side, hash: row.at(neighbourOf(index)).toString('hex') }] : [];
  });
  const above = keptSteps(leaf, count).map(({ side }, i) => ({ side, hash: kept[i]!.toString('hex') }));
  return [...within, ...above];
}

/** The side of the neighbour. A node without a neighbour moves up unchanged. */
function sideOf(index: number, length: number): PathStep['side'] | undefined {
  if (index % 2 === 1) return 'left';
  return index + 1 < length ? 'right' : undefined;
}

const neighbourOf = (index: number): number => (index % 2 === 1 ? index - 1 : index + 1);
