import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { documentingParam } from '../../platform/http';

/** A frame of the gateway has room for so much beside its other fields. */
export const TICKET_LENGTH_MAX = 800;

const FromHeader = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().headers.ticket,
);

/** Passes the ticket of a request to a method; undefined without one. */
export const TicketParam = (): ParameterDecorator =>
  documentingParam(
    FromHeader(),
    ApiHeader({
      name: 'Ticket',
      required: false,
      description:
        "The sponsor's ticket for this user, where the activity asks for one; ignored where it does not.",
      schema: { type: 'string', maxLength: TICKET_LENGTH_MAX },
    }),
  );
