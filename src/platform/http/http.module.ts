import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { DefaultCurrency } from '../config';
import { TelemetryModule } from '../telemetry';
import { AuthGuard } from './auth/auth.guard';
import { TokenVerifier } from './auth/token-verifier';
import { Faults } from './edge/faults';
import { HttpMetrics } from './edge/http-metrics';
import { LongAnswers } from './edge/long-answers';
import { useCurrencies } from './input/is-currency';
import { RequestChecks } from './edge/request-checks';
import { ProblemFilter } from './edge/problem.filter';
import { Problems } from './edge/problems';
import { Refusals } from './problems/refusals';
import { RateLimits } from './rate-limit/rate-limits';
import { Lines } from './rate-limit/in-turn.interceptor';
import { UsersAtWork } from './rate-limit/one-at-a-time.interceptor';
import { UserRateLimitGuard } from './rate-limit/user-rate-limit.guard';
import { Readiness } from './edge/readiness';
import { UnknownInputGuard } from './input/unknown-input.guard';
import { createValidationPipe } from './input/validation';
import { MetricsController } from './pages/metrics.controller';
import { Sessions } from './websocket/sessions';

/**
 * Every request passes these guards and pipes in this order. A tap that takes the fast lane passes them
 * by: `FastLane` makes the same checks itself.
 */
@Global()
@Module({
  imports: [TelemetryModule],
  controllers: [MetricsController],
  providers: [
    HttpMetrics,
    TokenVerifier,
    RateLimits,
    Readiness,
    Faults,
    Problems,
    Refusals,
    RequestChecks,
    Sessions,
    LongAnswers,
    Lines,
    UsersAtWork,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: UserRateLimitGuard },
    { provide: APP_GUARD, useClass: UnknownInputGuard },
    { provide: APP_PIPE, useFactory: createValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [
    HttpMetrics,
    RateLimits,
    RequestChecks,
    Readiness,
    Faults,
    Problems,
    Sessions,
    LongAnswers,
    Lines,
    UsersAtWork,
  ],
})
export class HttpModule {
  /** Programs that know more currencies than one replace this. */
  constructor(currency: DefaultCurrency) {
    useCurrencies({
      default: currency,
      find: () => Promise.resolve(undefined),
      codes: () => Promise.resolve([currency.code]),
    });
  }
}
