import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';
import { waitFor } from './engines';

export interface GatewayAnswer {
  readonly id: string | null;
  readonly status: number;
  // A test reads any field that the gateway sends.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly retryAfter?: number;
}

export interface GatewayNews {
  readonly event: string;
  readonly eventId: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
    readonly text: string,
  ) {
    super(`${status} ${text}`);
  }
}

interface ConnectOptions extends ClientOptions {
  readonly protocols?: string[];
}

/** Opens a WebSocket. With an empty token, the handshake carries none. */
export function gatewaySocket(
  apiUrl: string,
  token: string,
  { protocols = ['hongbao.v1'], headers, ...options }: ConnectOptions = {},
): WebSocket {
  return new WebSocket(`${apiUrl.replace(/^http/, 'ws')}/v1/gateway`, protocols, {
    ...options,
    headers: token === '' ? headers : { authorization: `Bearer ${token}`, ...headers },
  });
}

/** A client of `GET /v1/gateway` that keeps all messages. */
export class GatewayClient {
  readonly answers: GatewayAnswer[] = [];
  readonly news: GatewayNews[] = [];
  readonly closed: Promise<number>;
  private lastId = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.take(data.toString()));
    this.closed = once(socket, 'close').then(([code]) => code as number);
  }

  static async connect(url: string, token: string, options: ConnectOptions = {}): Promise<GatewayClient> {
    const socket = gatewaySocket(url, token, options);
    const client = new GatewayClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve).once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (bytes: Buffer) => (text += bytes.toString()));
        response.once('end', () => reject(new Refused(response.statusCode!, response.headers, text)));
      });
    });
    return client;
  }

  /** Sends a frame, with an id unless it has one, and waits for its answer. */
  async ask(frame: object): Promise<GatewayAnswer> {
    const id = String(++this.lastId);
    return this.answerTo({ id, ...frame });
  }

  grab(activityId: string): Promise<GatewayAnswer> {
    return this.ask({ op: 'grab', activityId });
  }

  /** Waits for the answer to this frame; if the frame is plain text, for the next answer. */
  async answerTo(frame: object | string): Promise<GatewayAnswer> {
    const heard = this.answers.length;
    const isText = typeof frame === 'string';
    this.socket.send(isText ? frame : JSON.stringify(frame));
    const isOurs = ({ id }: GatewayAnswer) => isText || id === null || id === (frame as { id?: unknown }).id;
    const found = () => this.answers.slice(heard).find(isOurs);
    await waitFor(() => found() !== undefined, { what: `the answer to ${JSON.stringify(frame)}` });
    return found()!;
  }

  async heard(count: number): Promise<GatewayNews[]> {
    await waitFor(() => this.news.length >= count, {
      what: `${count} news, of which ${this.news.length} came`,
    });
    return this.news;
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  private take(text: string): void {
    const frame = JSON.parse(text) as GatewayAnswer | GatewayNews;
    if ('event' in frame) this.news.push(frame);
    else this.answers.push(frame);
  }
}
