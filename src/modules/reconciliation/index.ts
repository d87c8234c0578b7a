export {
  ReconciliationApiModule,
  ReconciliationWorkerModule,
  VerificationModule,
} from './reconciliation.module';
export { reconciliationSchema } from './schema';
export { type Finding, VerificationService } from './verification.service';
