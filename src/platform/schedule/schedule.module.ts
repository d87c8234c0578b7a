import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Schedule } from './schedule';

/** The module of programs that mark methods with `@Repeats`. */
@Module({ imports: [DiscoveryModule], providers: [Schedule] })
export class ScheduleModule {}
