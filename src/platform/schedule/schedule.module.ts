import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Schedule } from './schedule';

/** For programs whose modules mark methods with `@Repeats`. */
@Module({ imports: [DiscoveryModule], providers: [Schedule] })
export class ScheduleModule {}
