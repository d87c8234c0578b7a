import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { AddressRefused, lookupPublic } from './public-address';
import { urlFault } from './url-fault';

/** Most servers keep an idle connection for longer than this. */
const IDLE_MS = 4_000;

/** Interim answers (1xx) have no body, so nothing else bounds how many of them have to be parsed. */
const INTERIM_MAX = 100;

export interface Call {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Record<string, string>;
  readonly body: string;
  /** No more of the answer's body is read. */
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Undefined when it is longer than `answerBytesMax`. */
  readonly body: string | undefined;
  /** Ends the connection: call it if answers no longer follow their calls. */
  readonly cut: () => void;
}

/** The call failed before a byte of it could reach the receiver. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

class EndlessInterim extends Error {
  override readonly name = 'EndlessInterim';
}

/**
 * Calls other people's servers. Redirects are not followed: they would lead to addresses that the operator
 * has not approved.
 */
export class OutgoingCalls {
  private readonly httpAgent: http.Agent;
  private readonly httpsAgent: https.Agent;

  /** @param privateAddresses allows addresses that are not public, and HTTP without TLS */
  constructor(private readonly privateAddresses: boolean) {
    const lookup = privateAddresses ? undefined : lookupPublic;
    const options = { keepAlive: true, timeout: IDLE_MS, lookup };
    this.httpAgent = new http.Agent(options);
    this.httpsAgent = new https.Agent(options);
  }

  close(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  /** @throws NotSent with its cause; any other error leaves open whether the call has arrived */
  async send({ url: text, method, headers, body, answerBytesMax, signal }: Call): Promise<Answer> {
    if (urlFault(text, this.privateAddresses) !== undefined)
      throw new NotSent('not sent', { cause: new AddressRefused() });
    const url = new URL(text);
    const [{ request }, agent] =
      url.protocol === 'https:' ? [https, this.httpsAgent] : [http, this.httpAgent];
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, agent, signal, headers: { ...headers, ...length } });
    let isConnected = false;
    let interim = 0;
    sent
      .on('error', () => undefined)
      .on('information', () => {
        if (++interim > INTERIM_MAX) sent.destroy(new EndlessInterim());
      })
      .on('socket', (socket) => {
        if (!socket.connecting) isConnected = true;
        else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => (isConnected = true));
      });
    sent.end(body);
    try {
      const [answer] = (await once(sent, 'response', { signal })) as [http.IncomingMessage];
      const { socket } = answer;
      return {
        status: answer.statusCode!,
        headers: answer.headers,
        body: await read(answer, answerBytesMax),
        cut: () => socket.destroy(),
      };
    } catch (cause) {
      throw isConnected ? cause : new NotSent('not sent', { cause });
    }
  }
}

/** Leaving the loop early ends the connection. */
async function read(answer: http.IncomingMessage, bytesMax: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Names a failed call. Addresses are left out: they could be those of hosts that only this server reaches. */
export function wordsFor(error: unknown): string {
  if (error instanceof NotSent) return wordsFor(error.cause);
  if (error instanceof AddressRefused) return error.message;
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error ? String(error.code) : error.name;
}
