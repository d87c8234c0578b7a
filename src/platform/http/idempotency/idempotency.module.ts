import { Global, Module } from '@nestjs/common';
import { IdempotencyService } from './idempotency.service';
import { IdempotencySweep } from './idempotency-sweep';

/** Needs Postgres, so it is apart from HttpModule: the worker's few routes do without it. */
@Global()
@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}

/** What is done in the background; needs Postgres, Redis and ScheduleModule. */
@Module({ providers: [IdempotencySweep] })
export class IdempotencyWorkerModule {}
