import { Module } from '@nestjs/common';
import { SharedCounts } from './shared-counts';

/**
 * The module of programs whose processes share their limits. It needs RedisModule, HttpModule and
 * ScheduleModule.
 */
@Module({ providers: [SharedCounts] })
export class SharedCountsModule {}
