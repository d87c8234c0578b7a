import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { isStaff } from '../../../../libs/roles';
import { rateLimited } from '../problems/http.error';

@Injectable()
export class UsersAtWork {
  private readonly users = new Set<string>();

  /**
   * Returns how to leave.
   * @throws rateLimited
   */
  enter(userId: string): () => void {
    if (this.users.has(userId))
      throw rateLimited('Another heavy request from this user is in progress.', { retryAfterSeconds: 1 });
    this.users.add(userId);
    return () => void this.users.delete(userId);
  }
}

/**
 * Lets a user have one heavy request, of any kind, in progress at each process: otherwise a single user could
 * take all connections or slots. Staff are trusted with more.
 */
@Injectable()
export class OneAtATimeInterceptor implements NestInterceptor {
  constructor(private readonly users: UsersAtWork) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { role, userId } = context.switchToHttp().getRequest<FastifyRequest>().caller!;
    if (isStaff(role)) return next.handle();
    return next.handle().pipe(finalize(this.users.enter(userId)));
  }
}
