import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { traceWith } from '../../../libs/tracing';
import type { AppConfig } from '../config';
import type { OpenTelemetry } from './open-telemetry';

let running: OpenTelemetry | undefined;

/** OpenTelemetry is loaded only where a collector is configured. */
export async function startTracing(
  app: NestFastifyApplication,
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio }: AppConfig,
  service: string,
): Promise<void> {
  if (endpoint === undefined) return;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  running = new OpenTelemetry({ endpoint, ratio, service });
  running.traceRequests(app.getHttpAdapter().getInstance());
  traceWith(running);
}

export async function stopTracing(): Promise<void> {
  traceWith(undefined);
  await running?.stop();
}
