import { Logger } from '@nestjs/common';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/**
 * Logs once when the collector refuses spans, and once when it accepts them again. The library drops them
 * silently, so a wrong collector token would be noticed only when someone looks for a trace.
 */
export class ToldExporter implements SpanExporter {
  private readonly logger = new Logger('Traces');
  private isRefused = false;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly endpoint: string,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.tell(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  private tell({ code, error }: ExportResult): void {
    const isRefused = code !== ExportResultCode.SUCCESS;
    if (isRefused === this.isRefused) return;
    this.isRefused = isRefused;
    if (isRefused) this.logger.warn(`${this.endpoint} takes no spans, and they are lost: ${reasonOf(error)}`);
    else this.logger.log(`${this.endpoint} takes spans again.`);
  }
}

/** An answer of the collector has a status besides its text. */
function reasonOf(error: Error | undefined): string {
  if (!error) return 'no reason is known.';
  const status = 'code' in error ? `${String(error.code)} ` : '';
  return `${status}${error.message || error.name}`;
}
