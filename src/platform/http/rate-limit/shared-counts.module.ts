import { Module } from '@nestjs/common';
import { SharedCounts } from './shared-counts';

/** For programs whose limits hold for all of their processes together; needs RedisModule, HttpModule and ScheduleModule. */
@Module({ providers: [SharedCounts] })
export class SharedCountsModule {}
