import type { Redis } from 'ioredis';
import { eventKeys } from './event-keys';
import { repliesOf } from './replies';
import { Script } from './script';
import * as definitions from './event-script-definitions';

/** More than any outage of all workers leaves; beyond it the oldest ones go, so that Redis does not fill up. */
const MESSAGES_KEPT = 1_000_000;

/** A message that is published with the same id again is the same message, for this long. */
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

  constructor(private readonly redis: Redis) {
    this.takeScript = new Script(redis, definitions.takeMessages);
    this.finishScript = new Script(redis, definitions.finishMessages);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const { id, text } of messages)
      pipeline.xadd(eventKeys.messages, 'MAXLEN', '~', MESSAGES_KEPT, '*', id, text);
    repliesOf(await pipeline.exec());
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

  /** What nobody has finished although it was published `ageMs` ago, behind an entry where one is given. */
  async readOverdue(ageMs: number, countMax: number, behindEntryId?: string): Promise<Received[]> {
    const [seconds] = await this.redis.time();
    const start = behindEntryId === undefined ? '-' : `(${behindEntryId}`;
    const upTo = Number(seconds) * 1000 - ageMs;
    return (await this.redis.xrange(eventKeys.messages, start, upTo, 'COUNT', countMax)).map(toReceived);
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
    const marks = received.map(({ id }) => eventKeys.mark(id));
    const answers = (await this.takeScript.run(marks, [taker, leaseMs])) as string[];
    return {
      mine: received.filter((_, i) => answers[i] === taker),
      done: received.filter((_, i) => answers[i] === DONE),
    };
  }

  /** Says that these have been pushed. */
  async finish(received: readonly Received[]): Promise<void> {
    if (received.length === 0) return;
    const marks = received.map(({ id }) => eventKeys.mark(id));
    const entryIds = received.map(({ entryId }) => entryId);
    await this.finishScript.run([eventKeys.messages, ...marks], [DONE_KEPT_MS, ...entryIds]);
  }
}

function toReceived([entryId, [id, text]]: [string, string[]]): Received {
  return { entryId, id: id!, text: text! };
}
