import {
  type Context,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SpanDetails, Tracer } from '../../../libs/tracing';
import { ToldExporter } from './told-exporter';

/** Shorter than the time in which a program must end. */
const EXPORT_TIMEOUT_MS = 2_000;
const EXPORT_EVERY_MS = 1_000;

export interface TracingOptions {
  readonly endpoint: string;
  /** The share of traces that begin here, 0 to 1. */
  readonly ratio: number;
  readonly service: string;
}

/** Sends spans to a collector. Only this file knows OpenTelemetry. */
export class OpenTelemetry implements Tracer {
  private readonly provider: TracerProvider;
  private readonly propagator = new W3CTraceContextPropagator();
  private readonly requests = new WeakMap<FastifyRequest, Context>();

  constructor({ endpoint, ratio, service }: TracingOptions) {
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': service }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new ToldExporter(exporter, endpoint),
          scheduledDelayMillis: EXPORT_EVERY_MS,
          exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        }),
      ],
    });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  }

  async span<T>(
    name: string,
    { attributes, parent, links = [] }: SpanDetails,
    work: () => Promise<T>,
  ): Promise<T> {
    const under = parent === undefined ? context.active() : this.contextOf(parent);
    const span = this.tracer.startSpan(
      name,
      {
        attributes: mutable(attributes),
        links: links.map((one) => ({ context: spanContextIn(this.contextOf(one)) })),
      },
      under,
    );
    try {
      return await context.with(trace.setSpan(under, span), work);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'failed' });
      throw error;
    } finally {
      span.end();
    }
  }

  here(): string | undefined {
    const carrier: { traceparent?: string } = {};
    this.propagator.inject(context.active(), carrier, defaultTextMapSetter);
    return carrier.traceparent;
  }

  /** Records a span for each request, under the span that its client names, but none for probes. */
  traceRequests(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      if (!('probe' in request.routeOptions.config)) this.requests.set(request, this.begin(request));
      done();
    });
    // The reader of the body has lost the context.
    fastify.addHook('preValidation', (request, _reply, done) => {
      const requested = this.requests.get(request);
      if (requested) context.with(requested, done);
      else done();
    });
    fastify.addHook('onResponse', (request, reply, done) => {
      const span = this.spanOf(request);
      span?.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
      done();
    });
  }

  /** Never rejects: a collector that is down must not keep a program from ending. */
  async stop(): Promise<void> {
    await this.provider.shutdown().catch(() => undefined);
  }

  private get tracer() {
    return this.provider.getTracer('hongbao');
  }

  private begin({ method, routeOptions, headers, id }: FastifyRequest): Context {
    const given = headers.traceparent;
    const under = typeof given === 'string' ? this.contextOf(given) : ROOT_CONTEXT;
    const route = routeOptions.url ?? 'unrouted';
    const span = this.tracer.startSpan(
      `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: { 'http.request.method': method, 'http.route': route, 'hongbao.request_id': id },
      },
      under,
    );
    return trace.setSpan(under, span);
  }

  private spanOf(request: FastifyRequest): Span | undefined {
    const requested = this.requests.get(request);
    return requested && trace.getSpan(requested);
  }

  /** A `traceparent` that cannot be read begins a new trace. */
  private contextOf(traceparent: string): Context {
    return this.propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
  }
}

const spanContextIn = (of: Context) => trace.getSpanContext(of)!;

const mutable = (attributes: SpanDetails['attributes'] = {}) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
