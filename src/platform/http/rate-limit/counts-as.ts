import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { COUNTS_AS_MARK } from '../problems/marks';
import { InTurnInterceptor } from './in-turn.interceptor';
import { OneAtATimeInterceptor } from './one-at-a-time.interceptor';

export const COUNTS_AS = 'hongbao:counts-as';

/** Counts a request as several towards the limit of its user, or of a stranger's address: it costs as much as that many taps. */
export function CountsAs(requests: number): MethodDecorator {
  return applyDecorators(SetMetadata(COUNTS_AS, requests), ApiExtension(COUNTS_AS_MARK, requests));
}

/** Marks a list from Postgres, or other work that is done for a user one request at a time. */
export function InTurn(requests: number): MethodDecorator {
  return applyDecorators(CountsAs(requests), UseInterceptors(InTurnInterceptor));
}

/** Marks a route that holds a connection for a long time: a user may have only one such request. */
export function Heavy(requests: number): MethodDecorator {
  return applyDecorators(CountsAs(requests), UseInterceptors(OneAtATimeInterceptor));
}
