export { ClaimLogApiModule, ClaimLogWorkerModule } from './claim-log.module';
export { ClaimLogRepository } from './claim-log.repository';
export { proveLog } from './log-proof';
export { claimLogSchema } from './schema';
