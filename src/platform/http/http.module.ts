import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { Currency } from '../config';
// Not through its index, which needs this folder.
import { MetricsModule } from '../telemetry/metrics.module';
import { AuthGuard } from './auth/auth.guard';
import { TokenVerifier } from './auth/token-verifier';
import { Faults } from './faults';
import { HttpMetrics } from './http-metrics';
import { useMoneyDigits } from './is-money';
import { Checks } from './checks';
import { ProblemFilter } from './problem.filter';
import { Problems } from './problems';
import { RateLimits } from './rate-limit/rate-limits';
import { UserRateLimitGuard } from './rate-limit/user-rate-limit.guard';
import { Readiness } from './readiness';
import { UnknownInputGuard } from './unknown-input.guard';
import { createValidationPipe } from './validation';
import { Sessions } from './websocket/sessions';

/** What every request passes, in this order: who is it, is it too often, did it bring what nobody asked for, is it valid. */
@Global()
@Module({
  imports: [MetricsModule],
  providers: [
    HttpMetrics,
    TokenVerifier,
    RateLimits,
    Readiness,
    Faults,
    Problems,
    Checks,
    Sessions,
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: UserRateLimitGuard },
    { provide: APP_GUARD, useClass: UnknownInputGuard },
    { provide: APP_PIPE, useFactory: createValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [HttpMetrics, RateLimits, Readiness, Faults, Problems, Sessions],
})
export class HttpModule {
  constructor(currency: Currency) {
    useMoneyDigits(currency.digits);
  }
}
