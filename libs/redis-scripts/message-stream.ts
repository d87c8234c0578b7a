import type { Redis } from 'ioredis';
import { eventKeys } from './event-keys';
import { repliesOf } from './replies';
import { Script } from './script';
import * as definitions from './event-script-definitions';

/** Messages that wait, and as many that were pushed and are remembered. */
const MESSAGES_MAX = 100_000;

/** A message that is published with the same id again is the same message, for this long, unless too many came after it. */
const DONE_KEPT_MS = 10 * 60_000;

const DONE = 'done';

export interface Message {
  /** Unique: two with the same id are one. `[A-Za-z0-9.-]+`, so that it may be part of a key. */
  readonly id: string;
  readonly text: string;
}

/** A message as a subscriber finds it. Published twice, it has two entries. */
export interface Received extends Message {
  readonly entryId: string;
}

/**
 * Messages that every subscriber receives and exactly one pushes.
 *
 * A stream and not pub/sub, because it outlives its readers: what was published while no worker ran, or was taken by one
 * that died, is still there. Whoever wants to push a message takes it first; {@link finish} removes it. A taker that dies
 * in between keeps it from the others for the length of his lease, and if he had pushed already, it is pushed twice: the
 * receiver knows it by its id.
 */
export class MessageStream {
  private readonly takeScript: Script;
  private readonly finishScript: Script;

  constructor(
    private readonly redis: Redis,
    private readonly messagesMax = MESSAGES_MAX,
  ) {
    this.takeScript = new Script(redis, definitions.takeMessages);
    this.finishScript = new Script(redis, definitions.finishMessages);
  }

  /**
   * Where too many wait, the oldest ones go, so that Redis does not fill up. Returns how many wait now.
   */
  async publish(messages: readonly Message[]): Promise<number> {
    const pipeline = this.redis.pipeline();
    for (const { id, text } of messages)
      pipeline.xadd(eventKeys.messages, 'MAXLEN', '~', this.messagesMax, '*', id, text);
    pipeline.xlen(eventKeys.messages);
    return repliesOf(await pipeline.exec()).at(-1) as number;
  }

  /** How many wait to be pushed. */
  waiting(): Promise<number> {
    return this.redis.xlen(eventKeys.messages);
  }

  /** Drops all that wait, and frees its memory; returns how many they were. A full server does this as well. */
  async drop(): Promise<number> {
    const pipeline = this.redis.pipeline().xlen(eventKeys.messages).unlink(eventKeys.messages);
    return repliesOf(await pipeline.exec())[0] as number;
  }

  /**
   * What was published behind an entry, oldest first; waits up to `blockMs` when there is nothing. On a connection of its
   * own, whose other commands would wait as well.
   */
  async readNew(
    connection: Redis,
    behindEntryId: string,
    countMax: number,
    blockMs: number,
  ): Promise<Received[]> {
    const reply = await connection.xread(
      ...(['COUNT', countMax, 'BLOCK', blockMs, 'STREAMS', eventKeys.messages, behindEntryId] as const),
    );
    return (reply?.[0]?.[1] ?? []).map(toReceived);
  }

  /** What nobody has finished, up to an entry and behind another one where one is given. */
  async readUpTo(lastEntryId: string, countMax: number, behindEntryId?: string): Promise<Received[]> {
    const start = behindEntryId === undefined ? '-' : `(${behindEntryId}`;
    const entries = await this.redis.xrange(eventKeys.messages, start, lastEntryId, 'COUNT', countMax);
    return entries.map(toReceived);
  }

  /** The entry behind which everything is new. */
  async end(): Promise<string> {
    const [last] = await this.redis.xrevrange(eventKeys.messages, '+', '-', 'COUNT', 1);
    return last?.[0] ?? '0-0';
  }

  /** Which of these the taker has to push, and which were pushed before; the rest is in other hands. */
  async take(
    received: readonly Received[],
    taker: string,
    leaseMs: number,
  ): Promise<{ mine: Received[]; done: Received[] }> {
    const ids = received.map(({ id }) => id);
    const keys = [eventKeys.done, ...ids.map(eventKeys.mark)];
    const answers = (await this.takeScript.run(keys, [taker, leaseMs, ...ids])) as string[];
    return {
      mine: received.filter((_, i) => answers[i] === taker),
      done: received.filter((_, i) => answers[i] === DONE),
    };
  }

  /** Says that these have been pushed. */
  async finish(received: readonly Received[]): Promise<void> {
    if (received.length === 0) return;
    const marks = received.map(({ id }) => eventKeys.mark(id));
    const keys = [eventKeys.messages, eventKeys.done, ...marks];
    const names = received.flatMap(({ entryId, id }) => [entryId, id]);
    await this.finishScript.run(keys, [DONE_KEPT_MS, this.messagesMax, ...names]);
  }
}

function toReceived([entryId, [id, text]]: [string, string[]]): Received {
  return { entryId, id: id!, text: text! };
}
