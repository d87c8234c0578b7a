import { randomBytes } from 'node:crypto';
import { eventKeys } from './event-keys';
import type { RedisClient } from './redis-client';
import { repliesOf } from './replies';

const TICKET_BYTES = 24;

export interface IssuedTicket {
  readonly ticket: string;
  /** The end by the clock of Redis; up to a second before the real one. */
  readonly expiresAtMs: number;
}

/** Tickets with a content, each for one use within a short time. */
export class Tickets {
  constructor(
    private readonly redis: RedisClient,
    private readonly keptMs: number,
    /** The most tickets of one holder, from the first until `keptMs` later. */
    private readonly perHolderMax: number,
  ) {}

  /** @returns undefined if this holder has had too many lately */
  async issue(holder: string, content: string): Promise<IssuedTicket | undefined> {
    const count = eventKeys.ticketCount(holder);
    const counting = this.redis.multi().set(count, 0, 'PX', this.keptMs, 'NX').incr(count).time();
    const [, issued, now] = repliesOf(await counting.exec());
    if (Number(issued) > this.perHolderMax) return undefined;
    const ticket = randomBytes(TICKET_BYTES).toString('base64url');
    await this.redis.set(eventKeys.ticket(ticket), content, 'PX', this.keptMs);
    return { ticket, expiresAtMs: Number((now as [string, string])[0]) * 1_000 + this.keptMs };
  }

  /** A second request, at whichever process, gets nothing. */
  async redeem(ticket: string): Promise<string | undefined> {
    return (await this.redis.getdel(eventKeys.ticket(ticket))) ?? undefined;
  }
}
