import type { ServerResponse } from 'node:http';
import type { Headed } from '../rate-limit/rate-limit-headers';
import type { ProblemReply } from '../problems/problem-reply';

/** Names and values in turn, as Node takes them: an object took a tenth of an answer's time. */
export type RawHeaders = (string | number)[];

/** The part of Fastify's answer that a tap needs. */
export class LaneReply implements Headed, ProblemReply {
  statusCode = 200;
  readonly request: { readonly id: string };
  private readonly headers: RawHeaders;

  /** @param always the first headers of every answer */
  constructor(
    requestId: string,
    always: Readonly<RawHeaders>,
    private readonly response: ServerResponse,
  ) {
    this.request = { id: requestId };
    this.headers = [...always];
  }

  get sent(): boolean {
    return this.response.headersSent;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: Lowercase<string>, value: string | number): this {
    const { headers } = this;
    let at = 0;
    while (at < headers.length && headers[at] !== name) at += 2;
    headers[at] = name;
    headers[at + 1] = value;
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

  /** Node writes ASCII faster when it knows that. */
  private end(body: string | Buffer, length: number): void {
    const encoding = body.length === length ? 'latin1' : 'utf8';
    this.header('content-length', length);
    this.response.writeHead(this.statusCode, this.headers).end(body, encoding);
  }
}
