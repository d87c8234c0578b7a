import { mediaTypeOf, refusalOf, unexpectedAnswer } from './api-problem';
import { filled, queryOf } from './address';
import { type Operations, ROUTES } from './named-operations';
import type { ActivityKeys, Fetch, Method, RequestOptions, Route } from './operations';
import { fetchPatiently, type Outgoing } from './patient-fetch';

const KEY_BYTES = 16;

interface AnySent extends RequestOptions {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
  readonly file?: Blob;
  readonly accept?: string;
}

/** The keys go with every request, unless a call brings others. */
export interface ClientOptions extends ActivityKeys {
  /** The user for whom a server asks, with a token of the role `server`, unless a call names another. */
  readonly actFor?: string;
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: Fetch;
}

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type --
   the loop below defines what the interface declares */
export interface ApiClient extends Operations {}

/**
 * A client of the public API, for programs and pages, built on nothing but `fetch` (decision 40): a
 * method for each operation. It returns the body of a success, together with the status if that
 * tells which of two bodies it is. It throws ApiProblem when the API refuses, Unreachable when no
 * answer comes, and UnexpectedAnswer when another server answers.
 */
export class ApiClient {
  private readonly url: string;

  /**
   * @param token if a function, it is called before each request, for a token that is renewed. Undefined for a caller
   * without one, who may use only the operations that say so
   */
  constructor(
    url: string,
    private readonly token: string | (() => string) | undefined,
    private readonly options: ClientOptions = {},
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  /** Performs an operation of `ROUTES`. `given` holds the parameters of its path, its inputs, and the options. */
  protected async perform([method, path, inputs = '', answer]: Route, given: unknown[]): Promise<unknown> {
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!);
    const parameters = Object.fromEntries(names.map((name) => [name, given.shift()]));
    const sent = Object.fromEntries(inputs.split(' ').map((input) => [input, input && given.shift()]));
    const options = given.shift() as RequestOptions | undefined;
    const accept = answer === 'status' ? undefined : answer;
    const response = await this.send(method, path, { ...options, ...sent, path: parameters, accept });
    if (accept !== undefined) return streamOf(response, accept);
    const body = await bodyOf(response);
    return answer === 'status' ? { status: response.status, body } : body;
  }

  private async send(method: Method, path: string, sent: AnySent = {}): Promise<Response> {
    const url = this.url + filled(path, sent.path) + queryOf(sent.query);
    const response = await fetchPatiently(
      url,
      this.requestOf(method, sent),
      sent.fetch ?? this.options.fetch,
    );
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  private requestOf(method: Method, sent: AnySent): Outgoing {
    const { body, file, key, accept, ticket, signal, patient } = sent;
    const {
      actFor = this.options.actFor,
      shareCode = this.options.shareCode,
      password = this.options.password,
    } = sent;
    const token = typeof this.token === 'function' ? this.token() : this.token;
    return {
      method: method.toUpperCase(),
      signal,
      patient,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(accept !== undefined && { accept }),
        ...(method === 'post' && { 'idempotency-key': key ?? newKey() }),
        ...(actFor !== undefined && { 'act-for': actFor }),
        ...(ticket !== undefined && { ticket }),
        ...(shareCode !== undefined && { 'share-code': shareCode }),
        ...(password !== undefined && { 'packet-password': encodeURIComponent(password) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': file.type }),
      },
      body: body === undefined ? file : JSON.stringify(body),
    };
  }
}

/* eslint-enable */
for (const [name, route] of Object.entries(ROUTES)) {
  Object.defineProperty(ApiClient.prototype, name, {
    value(this: ApiClient, ...given: unknown[]) {
      return this.perform(route, given);
    },
  });
}

/** @param accepted its media types, as in `Accept` */
async function streamOf(response: Response, accepted: string): Promise<ReadableStream<Uint8Array>> {
  const type = mediaTypeOf(response);
  if (type === undefined || !accepted.split(', ').includes(type)) throw await unexpectedAnswer(response);
  return response.body!;
}

/** A proxy, or the page of another server, may answer 200 as well. */
async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (mediaTypeOf(response) !== 'application/json') throw await unexpectedAnswer(response);
  return response.json();
}

/** Returns an `Idempotency-Key`. Browsers do not offer `randomUUID` to pages without TLS. */
export const newKey = (): string => randomHex(KEY_BYTES);

export function randomHex(byteCount: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
