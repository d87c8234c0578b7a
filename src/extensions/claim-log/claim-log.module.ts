import { Module } from '@nestjs/common';
import { ClaimLogController } from './claim-log.controller';
import { ClaimLogLeader } from './claim-log-leader';
import { ClaimLogRepository } from './claim-log.repository';
import { ClaimLogService } from './claim-log.service';
import { CosignatureController } from './cosignature.controller';
import { CosignatureIntake } from './cosignature-intake';
import { CosignatureRepository } from './cosignature.repository';
import { CosignatureService } from './cosignature.service';
import { WitnessWatch } from './witness-watch';

/** Shows the log, and proves what is in it. */
@Module({
  controllers: [ClaimLogController, CosignatureController],
  providers: [
    ClaimLogRepository,
    ClaimLogService,
    CosignatureIntake,
    CosignatureRepository,
    CosignatureService,
  ],
  exports: [ClaimLogRepository],
})
export class ClaimLogApiModule {}

/** Appends claims to the log. */
@Module({ providers: [ClaimLogRepository, ClaimLogLeader, CosignatureRepository, WitnessWatch] })
export class ClaimLogWorkerModule {}
