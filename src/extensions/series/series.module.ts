import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit';
import { LifecycleApiModule } from '../../core/lifecycle';
import { SecondPersonModule } from '../../core/second-person';
import { StandingChecksModule } from '../preflight';
import { Occurrences } from './occurrences';
import { SeriesController } from './series.controller';
import { SeriesRepository } from './series.repository';
import { SeriesService } from './series.service';
import { SeriesSweep } from './series-sweep';
import { SeriesWatch } from './series-watch';

@Module({
  imports: [AuditModule, LifecycleApiModule, SecondPersonModule, StandingChecksModule],
  controllers: [SeriesController],
  providers: [Occurrences, SeriesRepository, SeriesService, SeriesSweep, SeriesWatch],
})
export class SeriesApiModule {}
