export { ClaimLogApiModule, ClaimLogWorkerModule } from './claim-log.module';
export { ClaimLogRepository } from './claim-log.repository';
