export {
  type Activity,
  type ActivityFacts,
  type ActivityStatus,
  type Intention,
  type NewActivity,
  windowOf,
} from './activity';
export { ActivityDto, type Phase } from './activity.dto';
export * from './activity.error';
export { ActivityApiModule, ActivityModule } from './activity.module';
export {
  ActivityRepository,
  dealtOver,
  type EndedActivity,
  type EndedInRedis,
  type PartOf,
} from './activity.repository';
export { ActivityViews } from './activity-views';
export { activitySchema } from './schema';
export { WindowEnd } from './window-end';
