import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Batch } from './batch';
import type { BatchTerms } from './batch-terms';
import { LEAVES_PER_TILE, type PacketTree } from './packet-tree';

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

/** One tile. Hashing more keeps an event loop from its taps for milliseconds. */
const PACKETS_HERE_MAX = LEAVES_PER_TILE;

/** More packets are drawn in a thread of their own, because other requests would wait for them. */
const PACKETS_TOGETHER_MAX = 20_000;

/** Tests that run from the sources use the built file. */
const THREAD = [__dirname, path.join(__dirname, '..', '..', 'dist', 'libs', 'split')]
  .map((directory) => path.join(directory, 'drawing-thread.js'))
  .find(existsSync);

/** Its garbage is young: to collect it early costs next to nothing, and late tens of megabytes. */
const YOUNG = { maxYoungGenerationSizeMb: 2 };

/** A thread that was used lately draws a small batch several times as fast as a new one. */
const IDLE_MS = 30_000;

/** Draws a batch; all but the smallest in a thread, which has the amounts long before the tree. */
export function draw(request: DrawingRequest): Drawing {
  const { seed, terms, firstNo } = request;
  const batch = new Batch(seed, terms, firstNo);
  const { commit } = batch;
  const count = Number(terms.count);
  if (count > PACKETS_TOGETHER_MAX) return { commit, ...drawAlone(request) };
  if (count > PACKETS_HERE_MAX) return { commit, ...drawTogether(request) };
  const amounts = batch.amounts();
  return { commit, amountsMinor: Promise.resolve(amounts), tree: Promise.resolve(batch.tree(amounts)) };
}

type Drawn = Omit<Drawing, 'commit'>;

function drawAlone(request: DrawingRequest): Drawn {
  const thread = new DrawingThread();
  const drawn = thread.draw(request);
  void drawn.tree.catch(() => undefined).then(() => thread.end());
  return drawn;
}

let shared: DrawingThread | undefined;

function drawTogether(request: DrawingRequest): Drawn {
  if (!shared?.isAlive) shared = new DrawingThread();
  return shared.draw(request);
}

export interface Answer {
  readonly value?: unknown;
  readonly error?: unknown;
}

interface Expected {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Draws batches one by one until it has been idle for a while, without keeping the process alive. */
class DrawingThread {
  isAlive = true;
  private readonly worker = new Worker(THREAD!, { resourceLimits: YOUNG });
  private readonly expected: Expected[] = [];
  private readonly idle = setTimeout(() => this.endIfIdle(), IDLE_MS).unref();

  constructor() {
    this.worker.on('message', (answer: Answer) => this.settle(answer));
    this.worker.on('error', (error: Error) => this.end(error));
  }

  draw(request: DrawingRequest): Drawn {
    this.idle.refresh();
    this.worker.ref();
    this.worker.postMessage(request);
    const amountsMinor = this.next().then((amounts) => amounts as BigInt64Array);
    const tree = this.next().then((result) => {
      const { root, upper } = result as Record<keyof PacketTree, Uint8Array>;
      return { root: Buffer.from(root), upper: Buffer.from(upper) };
    });
    // A caller that fails in the meantime does not wait for it.
    tree.catch(() => undefined);
    return { amountsMinor, tree };
  }

  end(error = new Error('The thread has ended.')): void {
    this.isAlive = false;
    clearTimeout(this.idle);
    for (const { reject } of this.expected.splice(0)) reject(error);
    void this.worker.terminate();
  }

  private endIfIdle(): void {
    if (this.expected.length === 0) this.end();
    else this.idle.refresh();
  }

  private settle({ error, value }: Answer): void {
    const { resolve, reject } = this.expected.shift()!;
    if (this.expected.length === 0) this.worker.unref();
    if (error === undefined) resolve(value);
    else reject(error);
  }

  private next(): Promise<unknown> {
    return new Promise((resolve, reject) => this.expected.push({ resolve, reject }));
  }
}
