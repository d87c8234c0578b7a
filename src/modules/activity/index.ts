export { ActivityApiModule, ActivityWorkerModule } from './activity.module';
export { activitySchema } from './schema';
