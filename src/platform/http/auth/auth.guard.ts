import { type CanActivate, type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { forbidden, unauthenticated } from '../problems/http.error';
import { addressKey } from './address-key';
import { ACCESS, type Access, OPEN_TO_STRANGERS } from './access';
import { refuseActFor } from './act-for';
import { admitted, bearerTokenOf } from './admission';
import type { Caller } from './caller';
import { ACCEPTS_TICKET, TICKET, TicketVerifier } from './tickets';
import { TokenVerifier } from './token-verifier';

/** Refuses every caller of a route without `@Allow` or `@Public`. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenVerifier,
    @Optional() private readonly tickets?: TicketVerifier,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public') return true;
    if (access === undefined) throw forbidden('This route is open to nobody.');

    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.headers.authorization === undefined) {
      if (this.isMarked(context, OPEN_TO_STRANGERS)) {
        refuseActFor(request.headers);
        request.stranger = addressKey(request.ip);
        return true;
      }
      if (this.tickets && this.isMarked(context, ACCEPTS_TICKET))
        return this.callerOfTicket(request).then((holder) => enter(request, holder, access));
    }
    const caller = this.tokens.verify(bearerTokenOf(request.headers));
    if (caller instanceof Promise) return caller.then((fetched) => enter(request, fetched, access));
    return enter(request, caller, access);
  }

  private isMarked(context: ExecutionContext, mark: string): boolean {
    return this.reflector.get(mark, context.getHandler()) === true;
  }

  /** The text of a ticket is never repeated, not even to its sender: fewer logs contain it. */
  private async callerOfTicket({ query }: FastifyRequest): Promise<Caller> {
    const { [TICKET]: ticket } = query as Record<string, unknown>;
    if (typeof ticket !== 'string') throw unauthenticated('Send a bearer token, or a ticket in the query.');
    const caller = await this.tickets!.redeem(ticket);
    if (!caller) throw unauthenticated('The ticket is not valid, or no longer valid.');
    return caller;
  }
}

function enter(request: FastifyRequest, caller: Caller, access: Exclude<Access, 'public'>): true {
  request.caller = admitted(caller, access, request.headers);
  return true;
}
