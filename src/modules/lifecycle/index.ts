export { LifecycleApiModule, LifecycleWorkerModule } from './lifecycle.module';
