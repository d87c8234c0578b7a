import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { HostMetrics } from './host-metrics';
import { MetricsController } from './metrics.controller';
import { MetricsModule } from './metrics.module';
import { stopTracing } from './start-tracing';

/** Shows what was counted, and ends what was traced. */
@Module({ imports: [MetricsModule], controllers: [MetricsController], providers: [HostMetrics] })
export class TelemetryModule implements OnApplicationShutdown {
  async onApplicationShutdown(): Promise<void> {
    await stopTracing();
  }
}
