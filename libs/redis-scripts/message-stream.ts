import { eventKeys } from './event-keys';
import type { RedisClient } from './redis-client';
import { repliesOf } from './replies';
import { Script } from './script';
import * as definitions from './event-script-definitions';

/** The most waiting messages, and the most pushed messages that are remembered. */
const MESSAGES_MAX = 100_000;

/** Milliseconds for which a second message with the same id counts as the first. */
const DONE_KEPT_MS = 10 * 60_000;

const DONE = 'done';

export interface Message {
  /**
   * Unique: messages with the same id are the same message. `[A-Za-z0-9.-]+`, so that it may be part of a
   * key.
   */
  readonly id: string;
  readonly text: string;
}

/** A message as a subscriber finds it. Published twice, it has two entries. */
export interface Received extends Message {
  readonly entryId: string;
}

/**
 * Messages that every subscriber receives and exactly one pushes (decision 19). A worker takes a
 * message before it pushes it; {@link finish} removes it. A taker that dies in between keeps it for
 * the length of its lease, and it may be pushed twice: the receiver knows it by its id.
 */
export class MessageStream {
  private readonly takeScript: Script;
  private readonly finishScript: Script;

  constructor(
    private readonly redis: RedisClient,
    private readonly messagesMax = MESSAGES_MAX,
  ) {
    this.takeScript = new Script(redis, definitions.takeMessages);
    this.finishScript = new Script(redis, definitions.finishMessages);
  }

  /** Publishes messages and returns how many wait now. If too many do, the oldest are dropped. */
  async publish(messages: readonly Message[]): Promise<number> {
    const pipeline = this.redis.pipeline();
    for (const { id, text } of messages)
      pipeline.xadd(eventKeys.messages, 'MAXLEN', '~', this.messagesMax, '*', id, text);
    pipeline.xlen(eventKeys.messages);
    return repliesOf(await pipeline.exec()).at(-1) as number;
  }

  waiting(): Promise<number> {
    return this.redis.xlen(eventKeys.messages);
  }

  /** Drops all waiting messages, on a full server too, and returns their number. */
  async drop(): Promise<number> {
    const pipeline = this.redis.pipeline().xlen(eventKeys.messages).unlink(eventKeys.messages);
    return repliesOf(await pipeline.exec())[0] as number;
  }

  /**
   * Returns the messages after an entry, oldest first, and waits up to `blockMs` if there is none.
   * It needs its own connection: other commands on it would wait as well.
   */
  async readNew(
    connection: RedisClient,
    behindEntryId: string,
    countMax: number,
    blockMs: number,
  ): Promise<Received[]> {
    const reply = await connection.xread(
      ...(['COUNT', countMax, 'BLOCK', blockMs, 'STREAMS', eventKeys.messages, behindEntryId] as const),
    );
    return (reply?.[0]?.[1] ?? []).map(toReceived);
  }

  /** Returns unfinished messages up to an entry and, if given, after another. */
  async readUpTo(lastEntryId: string, countMax: number, behindEntryId?: string): Promise<Received[]> {
    const start = behindEntryId === undefined ? '-' : `(${behindEntryId}`;
    const entries = await this.redis.xrange(eventKeys.messages, start, lastEntryId, 'COUNT', countMax);
    return entries.map(toReceived);
  }

  /** The entry after which everything is new. */
  async end(): Promise<string> {
    const [last] = await this.redis.xrevrange(eventKeys.messages, '+', '-', 'COUNT', 1);
    return last?.[0] ?? '0-0';
  }

  /** Returns those that the taker has to push, and those pushed before; other takers have the rest. */
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
