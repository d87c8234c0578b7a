export { StandingChecksModule } from './preflight.module';
export { StandingChecks } from './standing-checks';
