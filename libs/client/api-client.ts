import { mediaTypeOf, refusalOf, unexpectedAnswer } from './api-problem';
import { filled, queryOf } from './address';
import type {
  Answer,
  Method,
  PathOf,
  RequestOptions,
  Sent,
  SentForStream,
  SentForUpload,
  StreamPath,
  UploadPath,
} from './operations';
import { type Fetch, fetchPatiently, type Outgoing } from './patient-fetch';

const KEY_BYTES = 16;

interface AnySent extends RequestOptions {
  readonly path?: object;
  readonly query?: object;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly file?: Blob;
  readonly accept?: string;
}

/**
 * A client of the public API, for programs and pages, upon nothing but `fetch` (decision 40). It
 * returns the body of a success. It throws ApiProblem when the API refuses, Unreachable when no
 * answer comes, and UnexpectedAnswer when another server answers.
 */
export class ApiClient {
  private readonly url: string;

  /**
   * @param token a function is asked before each request, for a token that is renewed
   * @param fetcher sends requests in place of `fetch`
   */
  constructor(
    url: string,
    private readonly token: string | (() => string),
    private readonly fetcher?: Fetch,
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  get<P extends PathOf<'get'>>(path: P, ...[sent]: Sent<'get', P>): Promise<Answer<'get', P>> {
    return this.call('get', path, sent);
  }

  /** Sends a new `Idempotency-Key`, unless one is given: repeat with it after a lost answer. */
  post<P extends PathOf<'post'>>(path: P, ...[sent]: Sent<'post', P>): Promise<Answer<'post', P>> {
    return this.call('post', path, sent);
  }

  patch<P extends PathOf<'patch'>>(path: P, ...[sent]: Sent<'patch', P>): Promise<Answer<'patch', P>> {
    return this.call('patch', path, sent);
  }

  /** Sends a file as it is, without reading it into memory. */
  upload<P extends UploadPath>(path: P, sent: SentForUpload<P>): Promise<Answer<'post', P>> {
    return this.call('post', path, sent);
  }

  delete<P extends PathOf<'delete'>>(path: P, ...[sent]: Sent<'delete', P>): Promise<Answer<'delete', P>> {
    return this.call('delete', path, sent);
  }

  /** Returns the bytes as they come. Reading fails if the connection ends too early. */
  async stream<P extends StreamPath>(path: P, sent: SentForStream<P>): Promise<ReadableStream<Uint8Array>> {
    const response = await this.send('get', path, sent);
    if (mediaTypeOf(response) !== sent.accept) throw await unexpectedAnswer(response);
    return response.body!;
  }

  private async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    sent?: AnySent,
  ): Promise<Answer<M, P>> {
    const response = await this.send(method, path, sent);
    return (await bodyOf(response)) as Answer<M, P>;
  }

  private async send(method: Method, path: string, sent: AnySent = {}): Promise<Response> {
    const url = this.url + filled(path, sent.path) + queryOf(sent.query);
    const response = await fetchPatiently(url, this.requestOf(method, sent), this.fetcher);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  private requestOf(method: Method, { header = {}, body, file, key, accept, signal }: AnySent): Outgoing {
    return {
      method: method.toUpperCase(),
      signal,
      headers: {
        authorization: `Bearer ${typeof this.token === 'string' ? this.token : this.token()}`,
        ...(accept !== undefined && { accept }),
        ...(method === 'post' && { 'idempotency-key': key ?? newKey() }),
        ...given(header),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file !== undefined && { 'content-type': file.type }),
      },
      body: body === undefined ? file : JSON.stringify(body),
    };
  }
}

const given = (header: NonNullable<AnySent['header']>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(header).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** A proxy, or the page of another server, may answer 200 as well. */
async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  if (mediaTypeOf(response) !== 'application/json') throw await unexpectedAnswer(response);
  return response.json();
}

/** Returns an `Idempotency-Key`. Browsers do not offer `randomUUID` to pages without TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
