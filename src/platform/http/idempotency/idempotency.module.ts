import { Global, Module } from '@nestjs/common';
import { IdempotencyService } from './idempotency.service';

/** Needs Postgres, so it is apart from HttpModule: the worker's few routes do without it. */
@Global()
@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule {}
