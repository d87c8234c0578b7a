import { Module } from '@nestjs/common';
import { ActivityModule } from '../../core/activity';
import { DispenserModule, RedisMemoryModule } from '../../core/dispenser';
import { GrabApiModule, TapAdmissionModule } from '../../core/grab';
import { PayoutModule } from '../payout';
import { RehearsalReportModule } from '../rehearsal';
import { ReconciliationApiModule } from '../../core/reconciliation';
import { PreflightController } from './preflight.controller';
import { PreflightService } from './preflight.service';
import { StandingChecks } from './standing-checks';

@Module({
  imports: [DispenserModule, GrabApiModule, RedisMemoryModule, TapAdmissionModule],
  providers: [StandingChecks],
  exports: [StandingChecks],
})
export class StandingChecksModule {}

@Module({
  imports: [
    ActivityModule,
    PayoutModule,
    ReconciliationApiModule,
    RehearsalReportModule,
    StandingChecksModule,
  ],
  controllers: [PreflightController],
  providers: [PreflightService],
})
export class PreflightApiModule {}
