import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo } from 'node:net';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte as received: the signature covers it. */
  readonly text: string;
  // A test asserts on any field that is sent.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Answers the n-th request to a path, counted from 1. */
export type Behaviour = (response: ServerResponse, n: number) => void;

export const answer =
  (status: number): Behaviour =>
  (response) =>
    response.writeHead(status).end();

/** Keeps all senders waiting until `release` answers them. */
export class Holding {
  readonly unanswered: ServerResponse[] = [];
  private released = false;

  readonly behaviour: Behaviour = (response) => {
    if (this.released) response.writeHead(204).end();
    else this.unanswered.push(response);
  };

  release(): void {
    this.released = true;
    for (const response of this.unanswered.splice(0)) response.writeHead(204).end();
  }
}

/**
 * An integrator's server, with a webhook at each path. It accepts every message, unless a path is given
 * another behaviour.
 */
export class WebhookReceiver {
  connections = 0;
  private readonly byPath = new Map<string, Received[]>();
  private readonly behaviours = new Map<string, Behaviour>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('connection', () => this.connections++);
    server.on('request', this.take);
  }

  /** Uses TLS if given a certificate for `localhost` and its key. */
  static async start(tls?: { cert: string; key: string }): Promise<WebhookReceiver> {
    const server: Server = tls ? createHttpsServer(tls) : createHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return new WebhookReceiver(server, tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`);
  }

  get port(): string {
    return new URL(this.url).port;
  }

  at(path: string): readonly Received[] {
    return this.byPath.get(path) ?? [];
  }

  idsAt(path: string): string[] {
    return this.at(path).map(({ headers }) => String(headers['webhook-id']));
  }

  let(path: string, behaviour: Behaviour): void {
    this.behaviours.set(path, behaviour);
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private readonly take: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const path = request.url!;
      const received = [
        ...this.at(path),
        { headers: request.headers, text, body: JSON.parse(text || 'null') },
      ];
      this.byPath.set(path, received);
      (this.behaviours.get(path) ?? answer(204))(response, received.length);
    });
  };
}
