import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { WinnersModule } from '../../core/winners';
import { PayoutModule } from '../payout';
import { ExportController } from './export.controller';
import { ExportPages } from './export-pages';
import { ExportRepository } from './export.repository';
import { ExportService } from './export.service';

@Module({
  imports: [ActivityModule, PayoutModule, WinnersModule],
  controllers: [ExportController],
  providers: [ExportPages, ExportRepository, ExportService],
})
export class ExportApiModule {}
