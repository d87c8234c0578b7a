/** The place of a piece of work in a trace: the header `traceparent` of W3C Trace Context. */
export type TraceParent = string;

export interface SpanDetails {
  readonly attributes?: Readonly<Record<string, string | number | readonly string[]>>;
  /** The span that caused this one, if it is not the span of the caller. */
  readonly parent?: TraceParent;
  /** Further causes: many taps share one commit. */
  readonly links?: readonly TraceParent[];
}

export interface Tracer {
  span<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T>;
  here(): TraceParent | undefined;
}

let tracer: Tracer | undefined;
let origins = new WeakMap<object, TraceParent>();

/** Records spans with this recorder from now on; without one, work is done unrecorded. */
export function traceWith(recorder: Tracer | undefined): void {
  tracer = recorder;
  origins = new WeakMap();
}

/** Does the work within a span of this name. `details` is called only while spans are recorded. */
export function traced<T>(name: string, work: () => Promise<T>, details?: () => SpanDetails): Promise<T> {
  return tracer ? tracer.span(name, details?.() ?? {}, work) : work();
}

/** Returns the caller's span, for another process; undefined while none is recorded. */
export function traceparent(): TraceParent | undefined {
  return tracer?.here();
}

export function noteOrigin(thing: object): void {
  const here = tracer?.here();
  if (here !== undefined) origins.set(thing, here);
}

/** Returns the spans in which these were submitted: the first as parent, the others as links. */
export function originsOf(things: readonly object[]): Pick<SpanDetails, 'parent' | 'links'> {
  const [parent, ...links] = things.flatMap((thing) => origins.get(thing) ?? []);
  return { parent, links };
}
