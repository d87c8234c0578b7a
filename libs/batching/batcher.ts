import { invariant } from '../invariant';

export interface BatcherOptions<T, R> {
  /** Returns one result per item, in their order. A run that never ends holds its slot forever. */
  run: (items: T[]) => Promise<R[]>;
  /** Most items in one batch. */
  sizeMax: number;
  /** Most batches running at the same time. */
  concurrencyMax: number;
  /** How long a batch may gather items, in milliseconds. Default: until the current turn ends. */
  lingerMs?: number;
}

/** Weight of the latest run in the moving average, small enough that one slow run hardly moves it. */
const NEWEST_RUN_SHARE = 0.25;

/**
 * Gathers single items into batches, in the order of their arrival, and returns to each caller the
 * result of its own item.
 *
 * A batch is due when it is full, when its linger is over, or, without linger, at the end of the turn of the
 * event loop in which its first item arrived. A due batch leaves as soon as fewer than `concurrencyMax`
 * batches are running, with all items that have arrived by then. So an idle system adds no delay, and a busy
 * system makes larger batches.
 *
 * A failed run rejects the items of its batch and no others. If single items can fail, let `R` be a union.
 *
 * @example
 * const balances = new Batcher<string, bigint>({
 *   run: (owners) => this.wallets.balancesOf(owners), // one statement for all of them, in their order
 *   sizeMax: 500,
 *   concurrencyMax: 2,
 * });
 * const balance = await balances.submit('ann');
 */
export class Batcher<T, R> {
  private readonly waiting: Batch<T, R>[] = [];
  private readonly drained: (() => void)[] = [];
  private running = 0;
  private pending = 0;
  private usualRunMs = 0;

  /** @throws InvariantViolation when a limit is not a positive integer or the linger is negative */
  constructor(private readonly options: BatcherOptions<T, R>) {
    const { sizeMax, concurrencyMax, lingerMs = 0 } = options;
    invariant(
      Number.isInteger(sizeMax) && sizeMax >= 1,
      () => `sizeMax ${sizeMax} is not a positive integer.`,
    );
    invariant(
      Number.isInteger(concurrencyMax) && concurrencyMax >= 1,
      () => `concurrencyMax ${concurrencyMax} is not a positive integer.`,
    );
    invariant(lingerMs >= 0, () => `lingerMs ${lingerMs} is negative.`);
  }

  /** Items that have no result yet, waiting or in flight. */
  get size(): number {
    return this.pending;
  }

  /**
   * Milliseconds that an item submitted now may expect to wait: the full batches ahead that have
   * not left, each with the usual duration of a run; 0 while there is room.
   */
  get expectedWaitMs(): number {
    const { sizeMax, concurrencyMax } = this.options;
    const inFlightMax = sizeMax * concurrencyMax;
    return (Math.max(0, this.pending - inFlightMax) / inFlightMax) * this.usualRunMs;
  }

  submit(item: T): Promise<R> {
    const batch = this.gathering() ?? this.open();
    const result = batch.add(item);
    this.pending += 1;
    if (batch.items.length === this.options.sizeMax) this.release(batch);
    return result;
  }

  /**
   * Sends waiting items without lingering, and resolves when no item is waiting or running. Never rejects.
   */
  drain(): Promise<void> {
    if (this.pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.drained.push(resolve);
      const batch = this.gathering();
      if (batch) this.release(batch);
    });
  }

  /** The batch that still has room; only the last one can. */
  private gathering(): Batch<T, R> | undefined {
    const last = this.waiting[this.waiting.length - 1];
    return last && last.items.length < this.options.sizeMax ? last : undefined;
  }

  private open(): Batch<T, R> {
    const batch = new Batch<T, R>();
    this.waiting.push(batch);
    const { lingerMs } = this.options;
    if (lingerMs && this.drained.length === 0) {
      batch.linger = setTimeout(() => this.release(batch), lingerMs);
    } else {
      setImmediate(() => this.release(batch));
    }
    return batch;
  }

  private release(batch: Batch<T, R>): void {
    clearTimeout(batch.linger);
    batch.due = true;
    this.dispatch();
  }

  private dispatch(): void {
    while (this.waiting[0]?.due && this.running < this.options.concurrencyMax) {
      void this.send(this.waiting.shift()!);
    }
  }

  private async send(batch: Batch<T, R>): Promise<void> {
    this.running += 1;
    const count = batch.items.length;
    const startMs = performance.now();
    try {
      batch.resolve(await this.options.run(batch.items));
    } catch (error) {
      batch.reject(error);
    }
    this.usualRunMs += (performance.now() - startMs - this.usualRunMs) * NEWEST_RUN_SHARE;
    this.running -= 1;
    this.pending -= count;
    this.dispatch();
    if (this.pending === 0) this.drained.splice(0).forEach((resolve) => resolve());
  }
}

/** Callbacks are kept in two arrays, not in one object per item, because every grab passes through here. */
class Batch<T, R> {
  readonly items: T[] = [];
  due = false;
  linger?: NodeJS.Timeout;
  private readonly resolves: ((result: R) => void)[] = [];
  private readonly rejects: ((error: unknown) => void)[] = [];

  add(item: T): Promise<R> {
    this.items.push(item);
    return new Promise((resolve, reject) => {
      this.resolves.push(resolve);
      this.rejects.push(reject);
    });
  }

  /** Refuses results that do not match the items: a guess would hand out another user's packet. */
  resolve(results: R[]): void {
    const count = this.resolves.length;
    invariant(
      results.length === count,
      () => `A batch of ${count} items came back with ${results.length} results.`,
    );
    this.resolves.forEach((resolve, index) => resolve(results[index]!));
  }

  reject(error: unknown): void {
    this.rejects.forEach((reject) => reject(error));
  }
}
