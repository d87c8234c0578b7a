export { activityNotFound } from './grab.error';
export { GrabApiModule, GrabModule, GrabWorkerModule } from './grab.module';
export { Journal } from './journal';
