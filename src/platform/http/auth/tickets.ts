import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Caller } from './caller';

export const ACCEPTS_TICKET = 'hongbao:ticket';

/** The query parameter, and the security scheme of the API document. */
export const TICKET = 'ticket';

/**
 * Opens a route also to callers who cannot send headers. They send a ticket in the query instead of
 * a token.
 */
export function AcceptsTicket(): MethodDecorator {
  return applyDecorators(SetMetadata(ACCEPTS_TICKET, true), ApiSecurity(TICKET));
}

/** Redeems tickets. A program whose routes accept tickets provides it. */
export abstract class TicketVerifier {
  /**
   * Returns the caller of a ticket, once; undefined when the ticket is spent, too old or made up.
   */
  abstract redeem(ticket: string): Promise<Caller | undefined>;
}
