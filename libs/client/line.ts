import type { ApiClient } from './api-client';
import { type FeedEnd, type FeedEvent, type FeedReader, type FeedStart, readEvents } from './event-feed';
import { Gateway, TOKEN_ENDED } from './gateway';
import type { Schema } from './operations';
import { pause } from './patience';
import { Unreachable } from './patient-fetch';

export interface LineListener {
  onEvent(event: FeedEvent): void;
  /** @param isUp whether news arrive */
  onConnection(isUp: boolean): void;
  onSignedOut(): void;
}

/** Spread, so that the players of a server that stops do not all reconnect at once. */
const RECONNECT_MS = 1_000;
const RECONNECT_SPREAD_MS = 4_000;
const RECONNECT_MS_MAX = 15_000;

/**
 * The connection of a player: the gateway for taps and news. While none can be opened (some
 * proxies forbid it), taps are requests and news are server-sent events. Both number events alike,
 * so news continue where the last connection ended (decision 48). Taps stay requests after one that
 * a gateway has not answered.
 */
export class Line {
  private gateway?: Gateway;
  private lastEventId?: string;
  /** A tap over a gateway had no answer, and may have none over the next one. */
  private tapsByRequest = false;

  constructor(
    private readonly api: ApiClient,
    private readonly url: string,
    private readonly token: string,
  ) {}

  grab(activityId: string, ticket?: string): Promise<Schema<'GrabDto'>> {
    if (this.gateway?.isOpen && !this.tapsByRequest) return this.tapOver(this.gateway, activityId, ticket);
    const [path, header] = [{ id: activityId }, { Ticket: ticket }];
    return this.api.post('/v1/activities/{id}/grabs', { path, header });
  }

  private async tapOver(gateway: Gateway, activityId: string, ticket?: string): Promise<Schema<'GrabDto'>> {
    try {
      return await gateway.grab(activityId, ticket);
    } catch (error) {
      this.tapsByRequest = error instanceof Unreachable;
      throw error;
    }
  }

  async listen(activityId: string, listener: LineListener, signal: AbortSignal): Promise<void> {
    const reader: FeedReader = {
      onStart: () => listener.onConnection(true),
      onNews: (eventId, event) => {
        this.lastEventId = eventId ?? this.lastEventId;
        if (event) listener.onEvent(event);
      },
    };
    for (let refusals = 0; !signal.aborted;) {
      const end = await this.connect(activityId, reader, signal);
      if (signal.aborted) return;
      if (end === 'signed-out') return listener.onSignedOut();
      listener.onConnection(false);
      refusals = end === 'refused' ? refusals + 1 : 0;
      const waitMs = Math.min(RECONNECT_MS * 2 ** refusals, RECONNECT_MS_MAX);
      await pause(waitMs + Math.random() * RECONNECT_SPREAD_MS, signal);
    }
  }

  /** A browser does not say why a WebSocket was refused; the event stream works or reports it. */
  private async connect(activityId: string, reader: FeedReader, signal: AbortSignal): Promise<FeedEnd> {
    const start = { activityId, lastEventId: this.lastEventId };
    const end = await this.overGateway(start, reader, signal);
    return end === 'refused' ? readEvents(this.api, start, reader, signal) : end;
  }

  private async overGateway(start: FeedStart, reader: FeedReader, signal: AbortSignal): Promise<FeedEnd> {
    try {
      const onNews = ({ eventId, event, data }: FeedEvent & { eventId: string }) =>
        reader.onNews(eventId, { event, data });
      this.gateway = new Gateway(this.url, this.token, onNews, signal);
      const { eventId } = await this.gateway.watch(start);
      reader.onNews(eventId);
      reader.onStart();
      return (await this.gateway.ended) === TOKEN_ENDED ? 'signed-out' : 'ended';
    } catch {
      return 'refused';
    } finally {
      this.gateway?.cut();
      this.gateway = undefined;
    }
  }
}
