import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { GrabApiModule } from '../../core/grab';
import { HistoryController } from './history.controller';
import { HistoryRepository } from './history.repository';
import { HistoryService } from './history.service';
import { HistorySweep } from './history-sweep';
import { TapHistory } from './tap-history';
import { TapMinuteRepository } from './tap-minute.repository';
import { TapMinutes } from './tap-minutes';

@Module({
  imports: [ActivityModule, GrabApiModule],
  controllers: [HistoryController],
  providers: [HistoryRepository, HistoryService, TapHistory, TapMinuteRepository, TapMinutes],
})
export class HistoryApiModule {}

@Module({ providers: [HistorySweep, TapMinuteRepository] })
export class HistoryWorkerModule {}
