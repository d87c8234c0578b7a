export { type AdmissionRule, AdmissionRules, type Admitted } from './admission/admission-rules';
export { Admissions } from './admission/admissions';
export { TapAdmissionModule } from './admission/tap-admission.module';
export {
  defineTapOption,
  describeTapOptions,
  isKeyOption,
  isTapOption,
  keyHeaders,
  KeysParam,
  type TapOptions,
  TapOptionsParam,
  tapOptionSchemas,
  tapOptionsIn,
} from './admission/tap-options';
export { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from './confirm/confirm.service';
export { grabSchema } from './confirm/schema';
export { MissingActivities } from './draw/missing-activities';
export { GrabApiModule, GrabModule, GrabWorkerModule } from './grab.module';
export { Journal } from './journal/journal';
export { PartDraws } from './parts/part-draws';
export { PartDrawsModule } from './parts/part-draws.module';
export { PartLengths } from './parts/part-lengths';
export { grabSchemas } from './tap/grab.dto';
export { TAP_ANSWERS, type TapAnswer, type TapListener, TapListeners } from './tap/tap-listeners';
export { TapService } from './tap/tap.service';
