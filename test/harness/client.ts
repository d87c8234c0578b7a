import { randomUUID } from 'node:crypto';
import { ApiDocument } from './api-document';

export interface Answer {
  readonly status: number;
  // A test reads any field that the API sends.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly headers: Headers;
  readonly text: string;
}

export interface CallOptions {
  readonly body?: unknown;
  /** A body that is not JSON. */
  readonly text?: string | Uint8Array<ArrayBuffer>;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Sends one request. `key` is its Idempotency-Key. */
export async function call(
  url: string,
  token: string,
  method: string,
  path: string,
  { body, text: file, key, headers = {}, signal }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? file : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
    text,
  };
}

const documents = new Map<string, Promise<ApiDocument | undefined>>();

/** Reads the document once per server, and again if the server could not answer. */
function documentOf(url: string): Promise<ApiDocument | undefined> {
  const known = documents.get(url);
  if (known) return known;
  const reading = ApiDocument.read(url).catch(() => void documents.delete(url));
  documents.set(url, reading);
  return reading;
}

/** A user with a token. A POST gets a new Idempotency-Key unless it is given one. */
export class Caller {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(path: string, options: CallOptions = {}): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const { key = randomUUID() } = options;
    return this.call('POST', path, { ...options, key, body });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.call('PUT', path, { body });
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.call('PATCH', path, { body });
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path);
  }

  /** The API document must describe every answer, whatever the test is about. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const sent = { ...this.headers, ...options.headers };
    const answer = await call(this.url, this.token, method, path, { ...options, headers: sent });
    const { status, headers, text } = answer;
    const given = { method, path, status, headers: Object.fromEntries(headers), body: text };
    const undescribed = (await documentOf(this.url))?.undescribed(given);
    if (undescribed !== undefined) throw new Error(`${method} ${path} was answered ${text}: ${undescribed}`);
    return answer;
  }
}
