export { PreflightApiModule, PreflightWorkerModule } from './preflight.module';
