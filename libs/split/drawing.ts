import { existsSync } from 'node:fs';
import { on } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Batch } from './batch';
import type { BatchTerms } from './batch-terms';
import type { PacketTree } from './packet-tree';

export interface DrawingRequest {
  readonly seed: string;
  readonly terms: BatchTerms;
  /** The number of the first packet. */
  readonly firstNo: number;
}

export interface Drawing {
  readonly commit: Buffer;
  readonly amountsMinor: Promise<BigInt64Array>;
  readonly tree: Promise<PacketTree>;
}

/** Hashing more packets keeps an event loop for longer than ten milliseconds. */
const PACKETS_HERE_MAX = 2_000;

/** Tests that run from the sources use the built file. */
const THREAD = [__dirname, path.join(__dirname, '..', '..', 'dist', 'libs', 'split')]
  .map((directory) => path.join(directory, 'drawing-thread.js'))
  .find(existsSync);

/** Its garbage is young: to collect it early costs next to nothing, and late tens of megabytes. */
const YOUNG = { maxYoungGenerationSizeMb: 2 };

/** Draws a batch; a large one in a thread of its own, which has the amounts long before the tree. */
export function draw({ seed, terms, firstNo }: DrawingRequest): Drawing {
  const batch = new Batch(seed, terms, firstNo);
  const { commit } = batch;
  if (Number(terms.count) > PACKETS_HERE_MAX) return { commit, ...drawInThread({ seed, terms, firstNo }) };
  const amounts = batch.amounts();
  return { commit, amountsMinor: Promise.resolve(amounts), tree: Promise.resolve(batch.tree(amounts)) };
}

function drawInThread(request: DrawingRequest): Omit<Drawing, 'commit'> {
  const thread = new Worker(THREAD!, { workerData: request, resourceLimits: YOUNG });
  const messages = on(thread, 'message');
  const next = async () => ((await messages.next()) as IteratorResult<[unknown], never>).value[0];
  const amountsMinor = next().then((amounts) => amounts as BigInt64Array);
  const tree = next().then((result) => {
    const { root, upper } = result as Record<keyof PacketTree, Uint8Array>;
    return { root: Buffer.from(root), upper: Buffer.from(upper) };
  });
  // A caller that fails meanwhile does not wait for it.
  tree.catch(() => undefined);
  return { amountsMinor, tree };
}
