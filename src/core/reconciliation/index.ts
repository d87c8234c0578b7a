export {
  ReconciliationApiModule,
  ReconciliationWorkerModule,
  VerificationModule,
} from './reconciliation.module';
export { rainPages } from './rain-pages';
export { reconciliationSchema } from './schema';
export { SealRepository } from './seal.repository';
export { type Finding, VerificationService } from './verification.service';
export { ReconciliationDto } from './reconciliation.dto';
export { ReconciliationService } from './reconciliation.service';
