import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { documentingParam } from '../../platform/http';
import { TICKET_LENGTH_MAX } from '../../extensions/ticket';

/** The options of a tap: headers of a request, and fields of a frame by the same names. */
export const TAP_OPTIONS = { ticket: { type: 'string', maxLength: TICKET_LENGTH_MAX } };

/** The headers or fields as they came, with all others. */
export type TapOptions = Readonly<Record<string, unknown>>;

const FromHeaders = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<FastifyRequest>().headers,
);

/** Passes the options of a request to a method. */
export const TapOptionsParam = (): ParameterDecorator =>
  documentingParam(
    FromHeaders(),
    ApiHeader({
      name: 'Ticket',
      required: false,
      description:
        "The sponsor's ticket for this user, where the activity asks for one; ignored where it does not.",
      schema: TAP_OPTIONS.ticket,
    }),
  );
