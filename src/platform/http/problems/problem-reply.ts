import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Problem } from '../../../../libs/problem';
import { headersTooLarge, malformedRequest, requestTimedOut } from './http.error';
import { STATIC_PAGE_HEADERS } from './static-page';

const MEDIA_TYPE = 'application/problem+json';

/** The part of a request that its problem needs. Taps and frames have only the id: nobody makes them in a browser. */
export interface ProblemRequest {
  readonly id: string;
  readonly method?: string;
  readonly headers?: IncomingHttpHeaders;
  readonly routeOptions?: { readonly url?: string };
}

/** Fastify and the fast lane both have this part of an answer. */
export interface ProblemReply {
  readonly request: ProblemRequest;
  readonly sent: boolean;
  code(status: number): this;
  header(name: Lowercase<string>, value: string | number): this;
  send(body: Buffer): unknown;
}

/** The documentation, relative to this service. */
export function problemType(code: string): string {
  return `/docs/errors#${code}`;
}

/**
 * Answers in the form of RFC 9457. The body is sent as bytes, because Fastify would add a charset to text,
 * and the media type has none. A route may already have allowed caches to keep its answer, but a problem must
 * not become everyone's answer.
 *
 * @param page the same problem for a person, instead of the body for programs
 */
export function sendProblem(reply: ProblemReply, problem: Problem, page?: string): void {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if (problem.status === 426) reply.header('upgrade', 'websocket').header('connection', 'Upgrade');
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds);
  if (page === undefined) reply.header('content-type', MEDIA_TYPE);
  else
    reply
      .header('content-type', STATIC_PAGE_HEADERS['content-type'])
      .header('content-security-policy', STATIC_PAGE_HEADERS['content-security-policy']);
  reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .header('x-request-id', reply.request.id)
    .send(Buffer.from(page ?? JSON.stringify(problemBody(problem, reply.request.id))));
}

/** The client's bytes never became a request: too slow, too many headers, or not HTTP. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const problem = connectionProblem(error.code);
  const body = JSON.stringify(problemBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function connectionProblem(code: string | undefined): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimedOut('The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge('The headers of the request are too large.');
  return malformedRequest('This is not HTTP.');
}

function problemBody({ code, title, status, detail, fields }: Problem, requestId?: string): object {
  return { type: problemType(code), title, status, detail, code, requestId, errors: fields };
}
