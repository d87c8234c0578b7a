import { Inject, Injectable } from '@nestjs/common';
import { type RedisClient, Tickets } from '../../../libs/redis-scripts';
import { type Caller, TicketVerifier } from '../../platform/http';
import { REDIS } from '../../platform/redis';
import type { EventTicketDto } from './events.dto';
import { eventsUnavailable, tooManyTickets } from './notification.error';

/** A ticket is used at once. */
const KEPT_MS = 30_000;

/** Twice as many as connections. */
const PER_USER_MAX = 20;

/** Tickets to the event stream for clients that cannot send headers, such as `EventSource`. */
@Injectable()
export class EventTickets extends TicketVerifier {
  private readonly tickets: Tickets;

  constructor(@Inject(REDIS) redis: RedisClient) {
    super();
    this.tickets = new Tickets(redis, KEPT_MS, PER_USER_MAX);
  }

  /** @throws tooManyTickets, eventsUnavailable */
  async issue(caller: Caller): Promise<EventTicketDto> {
    const issued = await this.tickets.issue(caller.userId, JSON.stringify(caller)).catch(refuse);
    if (issued) return { ticket: issued.ticket, expiresAt: new Date(issued.expiresAtMs).toISOString() };
    throw tooManyTickets(`One user may have ${PER_USER_MAX} in ${KEPT_MS / 1_000} seconds.`, {
      retryAfterSeconds: KEPT_MS / 1_000,
    });
  }

  /** @throws eventsUnavailable */
  async redeem(ticket: string): Promise<Caller | undefined> {
    const content = await this.tickets.redeem(ticket).catch(refuse);
    return content === undefined ? undefined : (JSON.parse(content) as Caller);
  }
}

function refuse(cause: unknown): never {
  throw eventsUnavailable('Redis, which holds the tickets, did not answer; try again.', {
    retryAfterSeconds: 1,
    cause,
  });
}
