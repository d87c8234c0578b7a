import { ApiProblem } from './api-problem';
import type { FeedStart } from './event-feed';
import type { ActivityKeys, NewsFrame, Schema } from './operations';
import { Unreachable } from './patient-fetch';
import { page } from './patience';

const PROTOCOL = 'hongbao.v1';

/** Some proxies swallow the request for a WebSocket and answer nothing. */
const OPENING_MS_MAX = 5_000;

/** A phone would wait for minutes over a dead connection. */
const ANSWER_MS_MAX = 15_000;

/** A socket that died unnoticed does not answer at all, so this is enough even for a slow network. */
const PING_MS_MAX = 2_000;

/** The close code of a token that is no longer accepted. */
export const TOKEN_ENDED = 4401;

/** The close code that a browser reports for a connection that was cut. */
const CUT = 1006;

interface AnswerFrame {
  /** Null in an answer about an unreadable frame, which this client never sends. */
  readonly id: string | null;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: number;
}

/** One WebSocket, from its opening to its end (docs/gateway.md). */
export class Gateway {
  private readonly socket: WebSocket;
  private readonly unanswered = new Map<string, (answer: AnswerFrame) => void>();
  private readonly opened: Promise<void>;
  private lastId = 0;
  private end!: (code: number) => void;
  /** Resolves with the close code. */
  readonly ended = new Promise<number>((resolve) => (this.end = resolve));

  /** @throws DOMException where no WebSocket may be opened, or the token cannot be a subprotocol */
  constructor(
    private readonly api: string,
    token: string,
    private readonly onNews: (news: NewsFrame) => void,
    signal?: AbortSignal,
  ) {
    const socket = new WebSocket(addressOf(api), [PROTOCOL, `bearer.${token}`]);
    const cut = () => this.cut();
    const opening = setTimeout(cut, OPENING_MS_MAX);
    this.opened = new Promise((resolve) => socket.addEventListener('open', () => resolve()));
    socket.addEventListener('message', ({ data }) => this.take(data as string));
    socket.addEventListener('close', ({ code }) => this.end(code));
    // A browser that has left its network notices the end of a WebSocket late.
    page.addEventListener?.('offline', cut);
    signal?.addEventListener('abort', cut);
    void this.opened.then(() => clearTimeout(opening));
    void this.ended.then(() => {
      clearTimeout(opening);
      page.removeEventListener?.('offline', cut);
      signal?.removeEventListener('abort', cut);
    });
    this.socket = socket;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Safe to repeat: a user always gets the same packet. */
  grab(activityId: string, ticket?: string, keys: ActivityKeys = {}): Promise<Schema<'GrabDto'>> {
    return this.send('grab', { activityId, ticket, ...keys });
  }

  /** News begins after the event whose id is returned. */
  watch(
    { activityId, lastEventId }: FeedStart,
    keys: ActivityKeys = {},
  ): Promise<{ readonly eventId: string }> {
    const activityIds = activityId === undefined ? [] : [activityId];
    return this.send('watch', { activityIds, lastEventId, ...keys });
  }

  /** Cuts a connection that has died unnoticed, as connections do while a phone sleeps. */
  async check(): Promise<void> {
    await this.send('ping', {}, PING_MS_MAX).catch(() => undefined);
  }

  /** Does not wait for the other side's close. */
  cut(): void {
    this.end(CUT);
    this.socket.close();
  }

  /**
   * @throws ApiProblem as a request does
   * @throws Unreachable when the connection ends before the answer arrives
   */
  private async send<Body>(op: string, fields: object, withinMs = ANSWER_MS_MAX): Promise<Body> {
    await Promise.race([this.opened, this.ended]);
    const id = String(++this.lastId);
    const answered = new Promise<AnswerFrame>((resolve) => this.unanswered.set(id, resolve));
    if (this.isOpen) this.socket.send(JSON.stringify({ id, op, ...fields }));
    const patience = setTimeout(() => this.cut(), withinMs);
    const answer = await Promise.race([answered, this.ended]);
    clearTimeout(patience);
    this.unanswered.delete(id);
    if (typeof answer === 'number')
      throw new Unreachable(this.api, new Error(`the gateway closed, ${answer}`));
    if (answer.status >= 400) throw new ApiProblem(answer.body as Schema<'ProblemDto'>, answer.retryAfter);
    return answer.body as Body;
  }

  private take(text: string): void {
    const frame = JSON.parse(text) as AnswerFrame | NewsFrame;
    if ('event' in frame) this.onNews(frame);
    else this.unanswered.get(frame.id ?? '')?.(frame);
  }
}

const addressOf = (api: string): string => `${api.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/gateway`;
