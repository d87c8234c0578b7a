export {
  type Activity,
  type ActivityFacts,
  type ActivityStatus,
  type Intention,
  mayManage,
  type NewActivity,
} from './activity';
export {
  type Admission,
  columnsOf,
  FORMAT,
  formatOf,
  type FormatRow,
  isNewer,
  LimitTerms,
  PlainTerms,
  PLAY_GROUP,
  plainTerms,
  PUBLIC,
  windowOf,
} from './activity-terms';
export { ActivityDto, type Phase, PHASES } from './activity.dto';
export * from './activity.error';
export { ActivityApiModule, ActivityModule } from './activity.module';
export {
  ActivityRepository,
  type AdmissionRow,
  BIRTH,
  dealtOver,
  PACED,
  type PacedRow,
  pacedOf,
  type PartOf,
} from './activity.repository';
export { ActivityService } from './activity.service';
export { AudienceField, type AudienceDefinition, defineAudiences } from './audience-definition';
export { ActivityViews, phaseOf } from './activity-views';
export { type AnyPaceBody, IsPace, PACE_SCHEMA, paceSchemas, paceView } from './pace.dto';
export { sponsorOf } from './sponsor-of';
export { type Logo, logoOf, LOGO_TEXT_MAX } from './logo';
export { Theme } from './theme.dto';
export { activitySchema, partitionsFile } from './schema';
export { type Stretch, stretchAround, stretchesOf } from './stretches';
export {
  type Attempt,
  type Audiences,
  type Keys,
  type Seen,
  type Sight,
  type Viewer,
  Visibility,
} from './visibility';
export { JudgesVisibility } from './visibility.guard';
export { WindowEnd } from './window-end';
