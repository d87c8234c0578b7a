import { Global, Module } from '@nestjs/common';
import { IdempotencyService } from './idempotency.service';
import { IdempotencySweep } from './idempotency-sweep';

/** It needs Postgres, which the worker's few routes do without. */
@Global()
@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}

/** It needs Postgres, Redis and ScheduleModule. */
@Module({ providers: [IdempotencySweep] })
export class IdempotencyWorkerModule {}
