import type { ServerResponse } from 'node:http';
import type { Headed } from '../rate-limit/rate-limit-headers';
import type { ProblemReply } from '../problem-reply';

/** Names and values in turn, as Node takes them. An object with a dozen names that come one by one took a tenth of an answer. */
export type RawHeaders = (string | number)[];

/** Our own names of headers, which are few, in small letters. */
const smallNames = new Map<string, string>();

/** An answer of the fast lane: as much of Fastify's as a tap needs. */
export class LaneReply implements Headed, ProblemReply {
  statusCode = 200;
  readonly request: { readonly id: string };
  private readonly headers: RawHeaders;

  /** @param always what every answer begins with */
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

  header(name: string, value: string | number): this {
    const small = inSmallLetters(name);
    const { headers } = this;
    let at = 0;
    while (at < headers.length && headers[at] !== small) at += 2;
    headers[at] = small;
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

  /** A text of as many bytes as characters is ASCII, which Node writes faster when it knows. */
  private end(body: string | Buffer, length: number): void {
    const encoding = body.length === length ? 'latin1' : 'utf8';
    this.header('content-length', length);
    this.response.writeHead(this.statusCode, this.headers).end(body, encoding);
  }
}

function inSmallLetters(name: string): string {
  let small = smallNames.get(name);
  if (small === undefined) smallNames.set(name, (small = name.toLowerCase()));
  return small;
}
