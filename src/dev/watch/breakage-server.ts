import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Breakage } from './breakage';

/**
 * Lets the wall break a demo: `GET` lists the faults, `POST` to a name begins one. It listens on
 * this machine only, below a secret path.
 */
export class BreakageServer {
  private readonly secret = randomBytes(18).toString('base64url');
  private readonly server: Server;
  private breakage?: Breakage;

  constructor() {
    this.server = createServer((request, response) => this.answerRequest(request, response));
  }

  /** The API needs the address before there is anything to break. */
  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${this.secret}`;
  }

  serve(breakage: Breakage): void {
    this.breakage = breakage;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answerRequest({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
    const [, secret, name] = url.split('/');
    const { breakage } = this;
    if (secret !== this.secret || !breakage) return void response.writeHead(404).end();
    // A caller that knows the path needs no check of its origin.
    response.setHeader('access-control-allow-origin', '*');
    if (method === 'POST' && !breakage.begin(name ?? '')) return void response.writeHead(404).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(breakage.faults));
  }
}
