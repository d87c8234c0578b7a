export { HostMetrics } from './host-metrics';
export { createLogger } from './logger';
export { mayLoseLines } from './lost-lines';
export { Metrics } from './metrics';
export { startTracing } from './start-tracing';
export { TelemetryModule } from './telemetry.module';
export { ENDINGS, timed } from './timings';
