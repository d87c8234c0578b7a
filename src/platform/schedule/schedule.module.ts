import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Schedule } from './schedule';

@Module({ imports: [DiscoveryModule], providers: [Schedule] })
export class ScheduleModule {}
