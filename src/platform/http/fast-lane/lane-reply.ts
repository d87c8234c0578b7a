import type { ServerResponse } from 'node:http';
import type { Headed } from '../rate-limit/rate-limit-headers';
import type { ProblemReply } from '../problem-reply';

type Headers = Record<string, string | number>;

/** An answer of the fast lane: as much of Fastify's as a tap needs. */
export class LaneReply implements Headed, ProblemReply {
  statusCode = 200;
  readonly request: { readonly id: string };
  private readonly headers: Headers;

  /** @param always what every answer begins with */
  constructor(
    requestId: string,
    always: Readonly<Headers>,
    private readonly response: ServerResponse,
  ) {
    this.request = { id: requestId };
    this.headers = { ...always };
  }

  get sent(): boolean {
    return this.response.headersSent;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string | number): this {
    this.headers[name.toLowerCase()] = value;
    return this;
  }

  sendJson(value: object): void {
    const body = JSON.stringify(value);
    this.header('content-type', 'application/json; charset=utf-8');
    this.end(body, Buffer.byteLength(body));
  }

  send(body: Buffer): void {
    this.end(body, body.length);
  }

  private end(body: string | Buffer, length: number): void {
    this.response.writeHead(this.statusCode, this.header('content-length', length).headers).end(body);
  }
}
