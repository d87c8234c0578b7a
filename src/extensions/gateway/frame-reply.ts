import { randomUUID } from 'node:crypto';
import type { ProblemReply } from '../../platform/http';

const RETRY_AFTER = 'retry-after';

/** An answer to a frame: a request's status, its body, and `Retry-After` of its headers. */
export class FrameReply implements ProblemReply {
  /** The request's id in logs and problems. */
  readonly request = { id: randomUUID() };
  statusCode = 200;
  sent = false;
  private retryAfter?: string | number;

  constructor(
    private readonly frameId: string | null,
    private readonly write: (text: string) => void,
  ) {}

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: Lowercase<string>, value: string | number): this {
    if (name === RETRY_AFTER) this.retryAfter = value;
    return this;
  }

  sendJson(value: object): void {
    this.send(JSON.stringify(value));
  }

  /** @param body JSON */
  send(body: Buffer | string): void {
    this.sent = true;
    const later = this.retryAfter === undefined ? '' : `,"retryAfter":${this.retryAfter}`;
    this.write(
      `{"id":${JSON.stringify(this.frameId)},"status":${this.statusCode},"body":${body.toString()}${later}}`,
    );
  }
}
