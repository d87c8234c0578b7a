export {
  ReconciliationApiModule,
  ReconciliationWorkerModule,
  VerificationModule,
} from './reconciliation.module';
export { type Evidence, withEvidence } from './evidence';
export {
  type Computed,
  type ComputedInvariant,
  type Invariant,
  ofKeptRains,
  ofLedger,
  type Promised,
} from './invariant';
export { Invariants } from './invariants';
export { rainPages } from './rain-pages';
export { amongKept } from './rain-scope';
export { reconciliationSchema } from './schema';
export { SealRepository } from './seal.repository';
export { type Finding, VerificationService } from './verification.service';
export { ReconciliationDto } from './reconciliation.dto';
export { ReconciliationService } from './reconciliation.service';
