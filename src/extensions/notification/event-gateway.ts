import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  activityTopic,
  eventKeys,
  EVERYBODY,
  Inboxes,
  type OpenInboxes,
  type Position,
  type RedisClient,
  userTopic,
} from '../../../libs/redis-scripts';
import { Problem } from '../../../libs/problem';
import { AppConfig } from '../../platform/config';
import { REDIS, Subscription } from '../../platform/redis';
import { Repeats } from '../../platform/schedule';
import type { Viewer } from '../../core/activity';
import { Metrics } from '../../platform/telemetry';
import { EventConnection } from './event-connection';
import type { EventSink } from './event-sink';
import { eventsUnavailable, tooManyConnections, tooManyWatched } from './notification.error';
import { WatchableActivities } from './watchable-activities';

/** A client that returns within this time misses nothing: its inboxes are kept for as long. */
const KEPT_MS = 5 * 60_000;

const BEAT_MS = 15_000;
const TICK_MS = 1_000;

const CONNECTIONS_PER_USER_MAX = 10;

interface Times {
  readonly endAt: number;
  beatAt: number;
}

export interface Listener extends Viewer {
  readonly activityIds: readonly string[];
  /** Undefined for events from now on. */
  readonly lastPosition: Position | undefined;
  /** True if this ends a connection of the client that is served now. */
  readonly replacesOne?: boolean;
}

export interface Served {
  /** The watched activities that exist for this listener and were not over before. */
  readonly activityIds: readonly string[];
  /** The client receives every event after this position. */
  readonly position: Position;
}

/**
 * The long connections of this process. A wake-up by pub/sub names the topics that have something
 * new; every connection continues reading the inboxes from its position. A lost wake-up costs time,
 * not events, because every connection also reads with each heartbeat.
 */
@Injectable()
export class EventGateway implements OnApplicationShutdown, OnModuleInit {
  private readonly logger = new Logger('EventGateway');
  private readonly wakeUps: Subscription;
  private readonly connections = new Map<EventConnection, Times>();
  private readonly byTopic = new Map<string, Set<EventConnection>>();
  private readonly count;
  private leaving = false;

  constructor(
    @Inject(REDIS) redis: RedisClient,
    private readonly inboxes: Inboxes,
    private readonly watchable: WatchableActivities,
    private readonly config: AppConfig,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    metrics: Metrics,
  ) {
    this.wakeUps = new Subscription(redis, eventKeys.wake, (topics) => this.wake(topics.split(' ')));
    this.count = metrics.gauge({
      name: 'hongbao_event_connections',
      help: 'Clients that listen to their events at this process',
    });
  }

  /** At its close the server waits for running requests: these would never end by themselves. */
  onModuleInit(): void {
    this.adapterHost.httpAdapter.getInstance().addHook('preClose', (done) => {
      this.leaving = true;
      for (const connection of this.connections.keys()) connection.end();
      done();
    });
  }

  onApplicationShutdown(): void {
    this.wakeUps.end();
  }

  /**
   * Serves a client until it goes or its time is over.
   *
   * @param takeOver is called when the connection can no longer be refused
   * @throws tooManyConnections, tooManyWatched, eventsUnavailable
   */
  async serve(listener: Listener, takeOver: () => EventSink): Promise<Served> {
    const { activityIds, lastPosition, replacesOne = false } = listener;
    const mine = userTopic(listener.caller.userId);
    this.requireRoom(mine, replacesOne);
    const opened = await this.open(mine, listener);
    this.requireRoom(mine, replacesOne);
    const sink = takeOver();
    const { position, missed } = startOf(lastPosition, opened);
    const connection = new EventConnection(sink, this.inboxes, opened.topics, position);
    const watched = activityIds.filter((id) => opened.topics.includes(activityTopic(id)));
    if (connection.isOpen) this.begin(connection, sink, missed);
    return { activityIds: watched, position };
  }

  private begin(connection: EventConnection, sink: EventSink, missed: boolean): void {
    this.add(connection, sink.lastsMs);
    sink.whenClosed(() => this.remove(connection));
    connection.beat();
    if (missed) connection.resync();
    this.catchUp(connection);
  }

  /** Checked before the inboxes are opened, and again afterwards: others may have come. */
  private requireRoom(userTopic: string, replacesOne: boolean): void {
    const room = replacesOne ? 1 : 0;
    if (this.leaving || this.connections.size >= this.config.EVENT_CONNECTIONS_MAX + room)
      throw eventsUnavailable('This server takes no more connections.', { retryAfterSeconds: 1 });
    if ((this.byTopic.get(userTopic)?.size ?? 0) >= CONNECTIONS_PER_USER_MAX + room)
      throw tooManyConnections(`One user may have ${CONNECTIONS_PER_USER_MAX}.`, { retryAfterSeconds: 5 });
  }

  private async open(mine: string, listener: Listener): Promise<OpenInboxes> {
    const opened = await this.openInboxes(mine, listener).catch((cause: unknown) => {
      if (cause instanceof Problem) throw cause;
      return unavailable(cause);
    });
    if (opened === 'too-many')
      throw tooManyWatched('Watch fewer activities, or the same ones.', {
        retryAfterSeconds: KEPT_MS / 1_000,
      });
    return opened === 'full' ? unavailable(new Error('Too many inboxes are open.')) : opened;
  }

  private async openInboxes(mine: string, listener: Listener) {
    const seen = await this.watchable.among(listener);
    const unfinished = seen.filter(({ isUnfinished }) => isUnfinished);
    const news = new Set([mine, ...unfinished.map(({ activityId }) => activityTopic(activityId))]);
    const topics = seen.map(({ activityId }) => activityTopic(activityId));
    return this.inboxes.open([mine, ...topics], KEPT_MS, (topic) => news.has(topic));
  }

  private add(connection: EventConnection, lastsMs: number): void {
    const now = performance.now();
    this.connections.set(connection, { endAt: now + lastsMs, beatAt: now + BEAT_MS });
    this.count.set(this.connections.size);
    for (const topic of connection.topics) {
      const listeners = this.byTopic.get(topic);
      if (listeners) listeners.add(connection);
      else this.byTopic.set(topic, new Set([connection]));
    }
  }

  private remove(connection: EventConnection): void {
    this.connections.delete(connection);
    this.count.set(this.connections.size);
    for (const topic of connection.topics) {
      const listeners = this.byTopic.get(topic);
      listeners?.delete(connection);
      if (listeners?.size === 0) this.byTopic.delete(topic);
    }
  }

  private wake(topics: readonly string[]): void {
    if (topics.includes(EVERYBODY)) for (const connection of this.connections.keys()) connection.resync();
    for (const topic of topics)
      for (const connection of this.byTopic.get(topic) ?? []) this.catchUp(connection);
  }

  /** The next heartbeat tries again after an error. */
  private catchUp(connection: EventConnection): void {
    connection
      .catchUp()
      .catch((error: unknown) => this.logger.warn(`Events could not be read: ${String(error)}`));
  }

  @Repeats('EventGateway', TICK_MS)
  async tick(): Promise<void> {
    const now = performance.now();
    const alive: Promise<unknown>[] = [];
    for (const [connection, times] of this.connections) {
      if (now >= times.endAt) connection.end();
      if (!connection.isOpen) this.remove(connection);
      if (!connection.isOpen || now < times.beatAt) continue;
      times.beatAt = now + BEAT_MS;
      connection.beat();
      alive.push(this.inboxes.open(connection.topics, KEPT_MS));
      this.catchUp(connection);
    }
    await Promise.all(alive);
  }
}

function unavailable(cause: unknown): never {
  throw eventsUnavailable('Redis, which holds the events, did not answer; connect again.', {
    retryAfterSeconds: 1,
    cause,
  });
}

/** The client's first position, and whether it missed events that are no longer there. */
function startOf(
  lastPosition: Position | undefined,
  { position, reachesBackTo }: OpenInboxes,
): { position: Position; missed: boolean } {
  if (lastPosition === undefined) return { position, missed: false };
  if (Number(lastPosition) > Number(position)) return { position, missed: true };
  return { position: lastPosition, missed: Number(lastPosition) < Number(reachesBackTo) };
}
