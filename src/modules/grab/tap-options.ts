import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { documentingParam } from '../../platform/http';
import { TICKET_SCHEMA, TicketHeader } from '../ticket';

/** The options of a tap: headers of a request, and fields of a frame by the same names. */
export const TAP_OPTIONS = { ticket: TICKET_SCHEMA };

/** The headers or fields as they came, with all others. Only `TapService` reads them. */
export type TapOptions = Readonly<Record<string, unknown>>;

const FromHeaders = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().headers,
);

/** Passes the options of a request to a method. */
export const TapOptionsParam = (): ParameterDecorator => documentingParam(FromHeaders(), TicketHeader());
