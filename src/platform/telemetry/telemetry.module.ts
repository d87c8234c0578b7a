import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { HostMetrics } from './host-metrics';
import { LostLines } from './lost-lines';
import { Metrics } from './metrics';
import { stopTracing } from './start-tracing';

/** The last spans are sent at shutdown. */
@Global()
@Module({ providers: [Metrics, HostMetrics, LostLines], exports: [Metrics, HostMetrics] })
export class TelemetryModule implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await stopTracing();
  }
}
