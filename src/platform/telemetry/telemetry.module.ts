import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HostMetrics } from './host-metrics';
import { Metrics } from './metrics';
import { stopTracing } from './start-tracing';

/** Where everything can be counted. It ends what was traced. */
@Global()
@Module({ providers: [Metrics, HostMetrics], exports: [Metrics, HostMetrics] })
export class TelemetryModule implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await stopTracing();
  }
}
