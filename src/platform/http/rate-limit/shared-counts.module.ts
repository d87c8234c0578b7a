import { Module } from '@nestjs/common';
import { SharedCounts } from './shared-counts';

/** It needs RedisModule, HttpModule and ScheduleModule. */
@Module({ providers: [SharedCounts] })
export class SharedCountsModule {}
