import type { ApiClient } from './api-client';
import { type FeedEnd, type FeedEvent, type FeedReader, type FeedStart, readEvents } from './event-feed';
import { Gateway, TOKEN_ENDED } from './gateway';
import type { ActivityKeys, NewsFrame, Schema } from './operations';
import { pause } from './patience';
import { Unreachable } from './patient-fetch';

export interface LineListener {
  onEvent(event: FeedEvent): void;
  /** @param isUp whether news arrives */
  onConnection(isUp: boolean): void;
  onSignedOut(): void;
}

/** Spread, so that the players of a server that stops do not all reconnect at once. */
const RECONNECT_MS = 1_000;
const RECONNECT_SPREAD_MS = 4_000;
const RECONNECT_MS_MAX = 15_000;

/** A tap without an answer by then is also sent by request. */
const TAP_MS_MAX = 1_000;

/**
 * The connection of a player: the gateway for taps and news. While none can be opened (some proxies forbid
 * it), taps are requests and news comes as server-sent events. Both number events in the same way, so news
 * continues where the last connection ended (decision 48). A WebSocket may have died silently, so a tap without
 * an answer is sent again by request, and taps stay requests until the gateway answers.
 */
export class Line {
  private gateway?: Gateway;
  private lastEventId?: string;
  /** A tap over a gateway was not answered, so the next tap may not be either. */
  private tapsByRequest = false;

  /** @param keys go with the frames; those of requests are in the options of the client */
  constructor(
    private readonly api: ApiClient,
    private readonly url: string,
    private readonly token: string,
    private readonly keys: ActivityKeys = {},
  ) {}

  /** @param onAgain is called before the tap is sent a second time, because the first may have won */
  async grab(activityId: string, ticket?: string, onAgain?: () => void): Promise<Schema<'GrabDto'>> {
    const byRequest = () => this.api.grabPacket(activityId, { ticket });
    const { gateway } = this;
    if (!gateway?.isOpen || this.tapsByRequest) return byRequest();
    const answer = this.tapOver(gateway, activityId, ticket);
    if (await isEarlier(answer, TAP_MS_MAX)) return answer;
    this.tapsByRequest = true;
    void gateway.check();
    onAgain?.();
    const again = byRequest();
    return Promise.race([answer.catch(() => again), again]);
  }

  /** Checks whether news still arrives, for example when the page becomes visible. */
  async check(): Promise<void> {
    if (this.gateway?.isOpen) await this.gateway.check();
  }

  private async tapOver(gateway: Gateway, activityId: string, ticket?: string): Promise<Schema<'GrabDto'>> {
    try {
      const answer = await gateway.grab(activityId, ticket, this.keys);
      this.tapsByRequest = false;
      return answer;
    } catch (error) {
      this.tapsByRequest = error instanceof Unreachable;
      throw error;
    }
  }

  /** @param activityId an activity whose opening, selling out and closing are reported as well */
  async listen(activityId: string | undefined, listener: LineListener, signal: AbortSignal): Promise<void> {
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
  private async connect(
    activityId: string | undefined,
    reader: FeedReader,
    signal: AbortSignal,
  ): Promise<FeedEnd> {
    const start = { activityId, lastEventId: this.lastEventId };
    const end = await this.overGateway(start, reader, signal);
    return end === 'refused' ? readEvents(this.api, start, reader, signal) : end;
  }

  private async overGateway(start: FeedStart, reader: FeedReader, signal: AbortSignal): Promise<FeedEnd> {
    try {
      const onNews = (news: NewsFrame) => reader.onNews(news.eventId, news);
      this.gateway = new Gateway(this.url, this.token, onNews, signal);
      const { eventId } = await this.gateway.watch(start, this.keys);
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

/** Whether the work ends, in any way, before the time is over. */
async function isEarlier(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const ended = work.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}
