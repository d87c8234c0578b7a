export { ClaimLogWorkerModule } from './claim-log.module';
