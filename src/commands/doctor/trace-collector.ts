import { reasonOf } from '../../../libs/connection-faults';
const WITHIN_MS = 3_000;

/** Sends no spans, as an exporter without work would. */
export async function collectorFact(endpoint: string): Promise<string> {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersFrom(process.env.OTEL_EXPORTER_OTLP_HEADERS) },
    body: '{"resourceSpans":[]}',
    signal: AbortSignal.timeout(WITHIN_MS),
  }).catch((error: unknown) => {
    throw new Error(`${url} cannot be reached: ${reasonOf(error)}.`);
  });
  if (response.ok) return `${endpoint} takes spans.`;
  const advice = [401, 403].includes(response.status)
    ? 'set its token in OTEL_EXPORTER_OTLP_HEADERS'
    : 'correct OTEL_EXPORTER_OTLP_ENDPOINT';
  throw new Error(`${url} answers ${response.status}: ${advice}.`);
}

const headersFrom = (text = ''): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .map((pair) => /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair))
      .flatMap((match) => (match ? [[match[1]!, decodeURIComponent(match[2]!)]] : [])),
  );
