import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problems } from './problems';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly problems: Problems) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    // A stored answer may name something that was deleted since. Refusing to show it repeats nothing.
    reply.removeHeader('idempotency-replayed');
    const { method, routeOptions } = reply.request;
    this.problems.sendException(exception, reply, () => `${method} ${routeOptions.url ?? 'unrouted'}`);
  }
}
