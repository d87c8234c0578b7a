export { ActivityApiModule, ActivityWorkerModule } from './activity.module';
