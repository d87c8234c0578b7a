export { HealthModule, WorkerHealthModule } from './health.module';
