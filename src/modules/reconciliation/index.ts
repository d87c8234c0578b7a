export { ReconciliationApiModule, VerificationModule } from './reconciliation.module';
export { type Finding, VerificationService } from './verification.service';
