export { ActivityLoader } from './restore/activity-loader';
export { LongerWindows } from './restore/longer-windows';
export { ADDITION_LOCK } from './record/loading.repository';
export { ActivityTidying } from './tidy/activity-tidying';
export { NewerActivities } from './tidy/newer-activities';
export { RecoveryModule, RecoveryWorkerModule } from './recovery.module';
