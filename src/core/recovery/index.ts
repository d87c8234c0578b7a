export { ActivityLoader } from './activity-loader';
export { ADDITION_LOCK } from './loading.repository';
export { ActivityTidying } from './activity-tidying';
export { NewerActivities } from './newer-activities';
export { RecoveryModule, RecoveryWorkerModule } from './recovery.module';
