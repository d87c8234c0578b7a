import { Module } from '@nestjs/common';
import { ClaimLogController } from './claim-log.controller';
import { ClaimLogLeader } from './claim-log-leader';
import { ClaimLogRepository } from './claim-log.repository';
import { ClaimLogService } from './claim-log.service';

/** Shows the log, and proves what is in it. */
@Module({
  controllers: [ClaimLogController],
  providers: [ClaimLogRepository, ClaimLogService],
  exports: [ClaimLogRepository],
})
export class ClaimLogApiModule {}

/** Appends claims to the log. */
@Module({ providers: [ClaimLogRepository, ClaimLogLeader] })
export class ClaimLogWorkerModule {}
