import { eventKeys, EVERYBODY } from './event-keys';
import { isCluster, type RedisClient } from './redis-client';
import { repliesOf } from './replies';
import { Script } from './script';
import * as definitions from './event-script-definitions';

/** How many events of one topic are kept for clients that reconnect. */
const EVENTS_KEPT = 1_000;

const INBOXES_MAX = 100_000;

/** Inboxes that one user may have opened within `keptMs`: ten connections need at most 101. */
const OPENED_PER_USER_MAX = 128;

export interface TopicEvent {
  readonly topic: string;
  readonly text: string;
}

/** A decimal number that grows across all topics: every event up to it has been read. */
export type Position = string;

export interface InboxEntry {
  readonly position: Position;
  readonly text: string;
}

export interface OpenInboxes {
  readonly position: Position;
  /** Every event after this position is still there. */
  readonly reachesBackTo: Position;
  readonly topics: readonly string[];
}

/** Why no inbox was opened: too many are open, or this user has had too many opened. */
export type NoInboxes = 'full' | 'too-many';

/** Events of topics that have listeners, kept so that a broken connection does not lose any. */
export class Inboxes {
  private readonly openScript: Script;
  private readonly appendScript: Script;
  private readonly readScript: Script;
  private readonly tellLossScript: Script;
  private readonly publish: 'PUBLISH' | 'SPUBLISH';

  constructor(
    private readonly redis: RedisClient,
    private readonly inboxesMax = INBOXES_MAX,
  ) {
    this.openScript = new Script(redis, definitions.openInboxes);
    this.appendScript = new Script(redis, definitions.appendEvents);
    this.readScript = new Script(redis, definitions.readInboxes);
    this.tellLossScript = new Script(redis, definitions.tellLoss);
    this.publish = isCluster(redis) ? 'SPUBLISH' : 'PUBLISH';
  }

  /**
   * Keeps the events of these topics from now on, for `keptMs` unless it is called again.
   * @param topics the first is that of the user who listens
   * @param mayOpen false if no more events will come: inboxes are kept, but not opened
   */
  async open(
    topics: readonly string[],
    keptMs: number,
    mayOpen: (topic: string) => boolean = () => true,
  ): Promise<OpenInboxes | NoInboxes> {
    const { lastId, listening, lostUpTo, open, opened } = eventKeys;
    const keys = [lastId, listening, lostUpTo, open, opened(topics[0]!), ...topics.map(eventKeys.inbox)];
    const flagged = topics.flatMap((topic) => [topic, mayOpen(topic) ? 1 : 0]);
    const reply = await this.openScript.run(keys, [
      ...[keptMs, this.inboxesMax, OPENED_PER_USER_MAX],
      ...flagged,
    ]);
    const [position, lostBefore, ...oldest] = reply as [string, string, ...string[]];
    if (position === 'full' || position === 'too-many') return position;
    // Nothing is known of an inbox that is not open: events may have come and gone.
    const reaches = [lostBefore, ...oldest.map((id) => (id === '' ? position : id))];
    return {
      position: String(numberOf(position)),
      reachesBackTo: String(Math.max(...reaches.map(numberOf))),
      topics: topics.filter((_, i) => oldest[i] !== ''),
    };
  }

  /** Notifies all listeners, and clients that reconnect in time, that events were dropped. */
  async tellLoss(keptMs: number): Promise<void> {
    const { lastId, lostUpTo, wake } = eventKeys;
    await this.tellLossScript.run([lastId, lostUpTo], [this.publish, wake, EVERYBODY, keptMs]);
  }

  async anyOpen(): Promise<boolean> {
    return (await this.redis.exists(eventKeys.listening)) === 1;
  }

  async openAmong(topics: readonly string[]): Promise<Set<string>> {
    const distinct = [...new Set(topics)];
    const pipeline = this.redis.pipeline();
    for (const topic of distinct) pipeline.exists(eventKeys.inbox(topic));
    const replies = repliesOf(await pipeline.exec());
    return new Set(distinct.filter((_, i) => replies[i] === 1));
  }

  /** Delivers to the inboxes that are open, and wakes their readers. */
  async append(events: readonly TopicEvent[]): Promise<void> {
    if (events.length === 0) return;
    const keys = [eventKeys.lastId, ...events.map(({ topic }) => eventKeys.inbox(topic))];
    const args = events.flatMap(({ topic, text }) => [topic, text]);
    await this.appendScript.run(keys, [this.publish, eventKeys.wake, EVENTS_KEPT, ...args]);
  }

  /**
   * Returns the entries after a position, in order, at most `countMax` from each inbox. If one
   * holds more, later entries of the others are left out, so that the position skips nothing.
   */
  async read(topics: readonly string[], position: Position, countMax: number): Promise<InboxEntry[]> {
    const keys = topics.map(eventKeys.inbox);
    const reply = (await this.readScript.run(keys, [`${position}-0`, countMax])) as [string, string[]][][];
    const full = reply.filter((entries) => entries.length === countMax);
    const horizon = Math.min(...full.map((entries) => numberOf(entries.at(-1)![0])));
    return reply
      .flat()
      .map(([id, [field, text]]) => ({ number: numberOf(id), told: field === 'event', text: text! }))
      .filter(({ number, told }) => told && number <= horizon)
      .sort((a, b) => a.number - b.number)
      .map(({ number, text }) => ({ position: String(number), text }));
  }
}

/** Ids are microseconds since the epoch, which a double holds exactly until the year 2255. */
const numberOf = (entryId: string): number => Number(entryId.split('-')[0]);
