import { Module } from '@nestjs/common';
import { ClaimLogLeader } from './claim-log-leader';
import { ClaimLogRepository } from './claim-log.repository';

/** Appends claims to the log. */
@Module({ providers: [ClaimLogRepository, ClaimLogLeader] })
export class ClaimLogWorkerModule {}
