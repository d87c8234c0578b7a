export { ActivityLoader } from './activity-loader';
export { ActivityTidying } from './activity-tidying';
export { NewerActivities } from './newer-activities';
export { RecoveryModule, RecoveryWorkerModule } from './recovery.module';
