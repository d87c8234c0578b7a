export { GrabbedPacketDto, grabSchemas, SETTLEMENTS } from './grab.dto';
export { ClaimRepository, type ClaimRow } from './claim.repository';
export { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from './confirm.service';
export { GrabApiModule, GrabModule, GrabWorkerModule } from './grab.module';
export { Journal } from './journal';
export { MissingActivities } from './missing-activities';
export { grabSchema } from './schema';
export { TapService } from './tap.service';
export { tapLane, tapRoles } from './tap-lane';
