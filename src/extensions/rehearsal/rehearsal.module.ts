import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { AuditModule } from '../../core/audit';
import { NewsModule } from '../../core/news';
import { WalletModule } from '../../core/wallet';
import { PlayMoney } from './play-money';
import './rehearsal-field';
import { RehearsalMarks } from './rehearsal-marks';
import { RehearsalReportController } from './rehearsal-report.controller';
import { RehearsalReportRepository } from './rehearsal-report.repository';
import { RehearsalReports } from './rehearsal-reports';

@Module({ imports: [NewsModule], providers: [RehearsalMarks] })
export class RehearsalWorkerModule {}

@Module({
  imports: [ActivityModule, AuditModule],
  providers: [RehearsalReportRepository, RehearsalReports],
  exports: [RehearsalReports],
})
export class RehearsalReportModule {}

@Module({
  imports: [RehearsalReportModule, RehearsalWorkerModule, WalletModule],
  controllers: [RehearsalReportController],
  providers: [PlayMoney],
})
export class RehearsalApiModule {}
