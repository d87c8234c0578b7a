export { LifecycleApiModule, LifecycleWorkerModule } from './lifecycle.module';
export { VoidService } from './void/void.service';
