import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { signatureHeaders } from '../../../libs/standard-webhooks';

/** The body of a PUT. */
export interface Order {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly amountMinor: string;
  readonly currency: string;
  readonly createdAt: string;
  readonly claims: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Undefined if the text is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly headers: http.IncomingHttpHeaders;
}

/** The receiver violates the protocol. The message says what it did. */
export class Fault extends Error {}

/** `headers` of undefined leave the signature out. */
export interface Call {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where a connection is cut: within the request, after all of it, or within the answer. */
export type Cut = 'before' | 'during' | 'after';

const IDLE_MS = 2_000;
const IN_FLIGHT_MAX = 64;
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

/** Calls a receiver as the sender of payouts does. */
export class ReceiverClient {
  private agent = this.newAgent();

  constructor(
    private readonly url: string,
    private readonly secrets: readonly string[],
    private readonly timeoutMs: number,
  ) {}

  put(order: Order, more: object = {}): Promise<Answer> {
    return this.call(this.signed('PUT', order.payoutId, JSON.stringify({ ...order, ...more })));
  }

  get(payoutId: string): Promise<Answer> {
    return this.call(this.signed('GET', payoutId));
  }

  statement(day: string): Promise<Answer> {
    return this.call({ method: 'GET', path: `statements/${day}`, headers: this.headersFor(day, '') });
  }

  signed(method: Call['method'], payoutId: string, body = ''): Call {
    return { method, path: `payouts/${payoutId}`, body, headers: this.headersFor(payoutId, body) };
  }

  headersFor(
    id: string,
    body: string,
    { aheadSeconds = 0, secrets = this.secrets }: { aheadSeconds?: number; secrets?: readonly string[] } = {},
  ): Record<string, string> {
    const timestampSeconds = Math.floor(Date.now() / 1_000) + aheadSeconds;
    return signatureHeaders(secrets, { id, timestampSeconds, body });
  }

  /** @throws Fault without an answer in time */
  async call(call: Call): Promise<Answer> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const sent = this.open(call, signal);
      sent.end(call.body);
      const [answer] = (await once(sent, 'response', { signal })) as [http.IncomingMessage];
      const text = await textOf(answer);
      return { status: answer.statusCode!, text, body: objectIn(text), headers: answer.headers };
    } catch (error) {
      if (error instanceof Fault) throw error;
      const reason = signal.aborted ? `none within ${this.timeoutMs} ms` : codeOf(error);
      throw new Fault(`no answer to a ${call.method}: ${reason}`);
    }
  }

  /** Sends a PUT and cuts the connection. */
  async cut(order: Order, where: Cut): Promise<void> {
    const body = JSON.stringify(order);
    const sent = this.open(this.signed('PUT', order.payoutId, body));
    const closed = once(sent, 'close').catch(() => undefined);
    if (where === 'before') sent.write(body.slice(0, body.length / 2), () => sent.destroy());
    else sent.end(body, () => where === 'during' && sent.destroy());
    if (where === 'after') sent.on('response', (answer) => answer.destroy());
    await closed;
  }

  /** A restarted receiver does not know earlier connections. */
  forgetConnections(): void {
    this.agent.destroy();
    this.agent = this.newAgent();
  }

  private newAgent(): http.Agent {
    const { Agent } = this.url.startsWith('https:') ? https : http;
    return new Agent({ keepAlive: true, maxSockets: IN_FLIGHT_MAX, timeout: IDLE_MS });
  }

  private open({ method, path, body, headers }: Call, signal?: AbortSignal): http.ClientRequest {
    const { request } = this.url.startsWith('https:') ? https : http;
    const sent = request(`${this.url}/${path}`, {
      method,
      agent: this.agent,
      signal,
      headers: {
        ...headers,
        'user-agent': 'hongbao-conformance',
        ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
      },
    });
    sent.on('error', () => undefined);
    return sent;
  }
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > ANSWER_BYTES_MAX) throw new Fault(`an answer of more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function objectIn(text: string): Answer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : undefined;
  } catch {
    return undefined;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
