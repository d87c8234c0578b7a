import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { COUNTS_AS_MARK } from '../problems/marks';
import { InTurnInterceptor } from './in-turn.interceptor';
import { OneAtATimeInterceptor } from './one-at-a-time.interceptor';

export const COUNTS_AS = 'hongbao:counts-as';

/** Counts a request as so many of its user's limit, because it costs as much as so many taps. */
export function CountsAs(requests: number): MethodDecorator {
  return applyDecorators(SetMetadata(COUNTS_AS, requests), ApiExtension(COUNTS_AS_MARK, requests));
}

/** Marks a list of Postgres, or other work that a user has done one after another. */
export function InTurn(requests: number): MethodDecorator {
  return applyDecorators(CountsAs(requests), UseInterceptors(InTurnInterceptor));
}

/** Marks a route that holds a connection for long: a user may have one such request. */
export function Heavy(requests: number): MethodDecorator {
  return applyDecorators(CountsAs(requests), UseInterceptors(OneAtATimeInterceptor));
}
