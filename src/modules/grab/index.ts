export { ClaimRepository } from './claim.repository';
export { ConfirmService } from './confirm.service';
export { activityLoading, activityNotFound } from './grab.error';
export { GrabApiModule, GrabModule, GrabWorkerModule } from './grab.module';
export { Journal } from './journal';
