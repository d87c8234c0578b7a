export {
  noteOrigin,
  originsOf,
  type SpanDetails,
  traced,
  traceparent,
  type Tracer,
  traceWith,
} from './tracing';
