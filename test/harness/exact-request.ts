import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ExactAnswer {
  readonly status: number;
  // A test reads any field that the API sends.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Sends a path unchanged; clients that follow the URL standard would resolve `.` and `..` in it. */
export async function exactRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: object } = {},
): Promise<ExactAnswer> {
  const { hostname, port } = new URL(url);
  const json = body && { 'content-type': 'application/json' };
  const sent = request({ hostname, port, method, path, headers: { ...headers, ...json } });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, body: JSON.parse(await text(response)) };
}
