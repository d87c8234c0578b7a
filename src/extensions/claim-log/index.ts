export { ClaimLogApiModule, ClaimLogWorkerModule } from './claim-log.module';
export { claimLogSchema } from './schema';
