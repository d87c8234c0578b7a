import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Caller } from './caller';

export const ACCEPTS_TICKET = 'hongbao:ticket';

/** The query parameter, and the security scheme of the API document. */
export const TICKET = 'ticket';

/** Opens a route also to callers who cannot send headers and bring a ticket in the query instead of a token. */
export function AcceptsTicket(): MethodDecorator {
  return applyDecorators(SetMetadata(ACCEPTS_TICKET, true), ApiSecurity(TICKET));
}

/** Knows whose tickets are good. A program whose routes accept some provides it. */
export abstract class TicketVerifier {
  /** The caller whom a ticket stands for, once; undefined when it is spent, too old or made up. */
  abstract redeem(ticket: string): Promise<Caller | undefined>;
}
