import { Inject, Injectable } from '@nestjs/common';
import { type RedisClient, Tickets } from '../../../libs/redis-scripts';
import { type Caller, TicketVerifier } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import { keyHeaders, type TapOptions } from '../../core/grab';
import type { EventTicketDto } from './events.dto';
import { eventsUnavailable, tooManyTickets } from './notification.error';

/** A ticket is used at once. */
const KEPT_MS = 30_000;

/** Twice as many as connections. */
const PER_USER_MAX = 20;

/** A caller who cannot send headers, with the keys that the ticket was made with. */
interface Holder extends Caller {
  readonly keys?: TapOptions;
}

/** The keys of a caller: of their ticket, or of their request. */
export const keysOf = (caller: Holder, headers: TapOptions): TapOptions => caller.keys ?? headers;

/** Tickets to the event stream for clients that cannot send headers, such as `EventSource`. */
@Injectable()
export class EventTickets extends TicketVerifier {
  private readonly tickets: Tickets;

  constructor(@Inject(REDIS) redis: RedisClient) {
    super();
    this.tickets = new Tickets(redis, KEPT_MS, PER_USER_MAX);
  }

  /**
   * @param headers those of the request: keys to activities are kept with the ticket
   * @throws tooManyTickets, eventsUnavailable
   */
  async issue(caller: Caller, headers: TapOptions): Promise<EventTicketDto> {
    const holder: Holder = { ...caller, keys: keyHeaders(headers) };
    const issued = await this.tickets.issue(caller.userId, JSON.stringify(holder)).catch(refuse);
    if (issued) return { ticket: issued.ticket, expiresAt: new Date(issued.expiresAtMs).toISOString() };
    throw tooManyTickets(`One user may have ${PER_USER_MAX} in ${KEPT_MS / 1_000} seconds.`, {
      retryAfterSeconds: KEPT_MS / 1_000,
    });
  }

  /** @throws eventsUnavailable */
  async redeem(ticket: string): Promise<Holder | undefined> {
    const content = await this.tickets.redeem(ticket).catch(refuse);
    return content === undefined ? undefined : (JSON.parse(content) as Holder);
  }
}

function refuse(cause: unknown): never {
  throw eventsUnavailable('Redis, which holds the tickets, did not answer; try again.', {
    retryAfterSeconds: 1,
    cause,
  });
}
