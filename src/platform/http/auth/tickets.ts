import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Caller } from './caller';

export const ACCEPTS_TICKET = 'hongbao:ticket';

/** The query parameter, and the security scheme of the API document. */
export const TICKET = 'ticket';

/** Opens a route also to callers who cannot send headers, by a ticket (decision 35). */
export function AcceptsTicket(): MethodDecorator {
  return applyDecorators(SetMetadata(ACCEPTS_TICKET, true), ApiSecurity(TICKET));
}

/** A program whose routes accept tickets provides this. */
export abstract class TicketVerifier {
  /** Answers once; undefined if the ticket is spent, too old or invented. */
  abstract redeem(ticket: string): Promise<Caller | undefined>;
}
