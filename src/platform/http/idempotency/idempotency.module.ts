import { Global, Module } from '@nestjs/common';
import { IdempotencyService } from './idempotency.service';
import { IdempotencySweep } from './idempotency-sweep';

/**
 * The module needs Postgres, so it is apart from HttpModule: the worker's few routes do without it.
 */
@Global()
@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}

/** The background work of idempotency. It needs Postgres, Redis and ScheduleModule. */
@Module({ providers: [IdempotencySweep] })
export class IdempotencyWorkerModule {}
