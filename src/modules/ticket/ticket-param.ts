import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { documentingParam } from '../../platform/http';

/** A frame of the gateway has room for so much beside its other fields. */
export const TICKET_LENGTH_MAX = 800;

export const TICKET_SCHEMA = { type: 'string', maxLength: TICKET_LENGTH_MAX } as const;

const FromHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers.ticket,
);

export const TicketHeader = (): MethodDecorator =>
  ApiHeader({
    name: 'Ticket',
    required: false,
    description:
      "The sponsor's ticket for this user, where the activity asks for one; ignored where it does not.",
    schema: TICKET_SCHEMA,
  });

/** Passes the ticket of a request to a method; undefined without one. */
export const TicketParam = (): ParameterDecorator => documentingParam(FromHeader(), TicketHeader());
