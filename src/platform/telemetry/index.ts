export { createLogger } from './logger';
export { Metrics } from './metrics';
export { TelemetryModule } from './telemetry.module';
export { ENDINGS, timed } from './timings';
