import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly arrayValue?: { readonly values: { readonly stringValue: string }[] };
  };
}

interface Export {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Attribute[] };
    readonly scopeSpans: {
      readonly spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] })[];
    }[];
  }[];
}

/** A minimal trace collector, which accepts OTLP as JSON over HTTP and keeps the spans. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The status of its answers; nothing is kept unless it is 200. */
  status = 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceReceiver> {
    const receiver = new TraceReceiver(createServer());
    receiver.server.on('request', (request: IncomingMessage, response) => {
      void receiver
        .receive(request)
        .then(() => response.writeHead(receiver.status, { 'Content-Type': 'application/json' }).end('{}'));
    });
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async receive(request: IncomingMessage): Promise<void> {
    const { resourceSpans } = (await json(request)) as Export;
    if (request.url !== '/v1/traces' || this.status !== 200) return;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          service: String(valuesOf(resource.attributes)['service.name']),
          attributes: valuesOf(span.attributes),
        });
  }
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.arrayValue?.values.map(({ stringValue }) => stringValue) ??
        value.stringValue ??
        Number(value.intValue),
    ]),
  );
