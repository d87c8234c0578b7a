export { OverviewApiModule, OverviewWorkerModule } from './overview.module';
