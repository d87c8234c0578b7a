export { GrabbedPacketDto, grabSchemas } from './grab.dto';
export { ClaimRepository } from './claim.repository';
export { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from './confirm.service';
export { GrabApiModule, GrabModule, GrabWorkerModule } from './grab.module';
export { Journal } from './journal';
export { PartDraws } from './parts/part-draws';
export { PartDrawsModule } from './parts/part-draws.module';
export { PartLengths } from './parts/part-lengths';
export { MissingActivities } from './missing-activities';
export { grabSchema } from './schema';
export { type AdmissionRule, AdmissionRules, type Admitted } from './tap/admission-rules';
export { Admissions } from './tap/admissions';
export { TapAdmissionModule } from './tap/tap-admission.module';
export {
  defineTapOption,
  describeTapOptions,
  isTapOption,
  type TapOptions,
  TapOptionsParam,
  tapOptionSchemas,
} from './tap/tap-options';
export { TapService } from './tap.service';
export { tapLane, tapRoles } from './tap-lane';
export { type ClaimRow, SETTLEMENTS, WonPacketRepository } from './won-packet.repository';
