import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics';

/** Where everything can be counted. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
