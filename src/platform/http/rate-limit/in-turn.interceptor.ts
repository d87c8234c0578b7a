import { setImmediate as othersTurn } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { isStaff } from '../../../../libs/roles';
import { rateLimited } from '../problems/http.error';

/** More than a browser sends at once. */
const UNDER_WAY_MAX = 8;

interface Line {
  underWay: number;
  /** Resolves when the last request of the line is done, and others had their turn. */
  last: Promise<unknown>;
}

@Injectable()
export class Lines {
  private readonly lines = new Map<string, Line>();

  /**
   * Does this work after all earlier work of the user.
   * @throws rateLimited
   */
  async inTurn<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(userId) ?? { underWay: 0, last: Promise.resolve() };
    if (line.underWay === UNDER_WAY_MAX)
      throw rateLimited('Too many list requests from this user are in progress.', { retryAfterSeconds: 1 });
    this.lines.set(userId, line);
    line.underWay += 1;
    const done = line.last.then(work);
    line.last = done.catch(() => undefined).then(() => othersTurn());
    try {
      return await done;
    } finally {
      line.underWay -= 1;
      if (line.underWay === 0) this.lines.delete(userId);
    }
  }
}

/**
 * Serves a user's lists and previews one at a time at each process: each takes a connection or the event loop
 * for as long as many taps, so a few users could use them up. Staff are trusted with more. A route that is open to
 * strangers bounds these by itself: many of them may share an address.
 */
@Injectable()
export class InTurnInterceptor implements NestInterceptor {
  constructor(private readonly lines: Lines) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller || isStaff(caller.role)) return next.handle();
    return from(this.lines.inTurn(caller.userId, () => lastValueFrom(next.handle())));
  }
}
