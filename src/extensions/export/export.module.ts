import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { GrabModule } from '../../core/grab';
import { ExportController } from './export.controller';
import { ExportLines } from './export-lines';
import { ExportPages } from './export-pages';
import { ExportRepository } from './export.repository';
import { ExportService } from './export.service';

@Module({
  imports: [ActivityModule, GrabModule],
  controllers: [ExportController],
  providers: [ExportLines, ExportPages, ExportRepository, ExportService],
})
export class ExportApiModule {}
