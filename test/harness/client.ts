import { randomUUID } from 'node:crypto';

export interface Answer {
  readonly status: number;
  // A test reads whatever the API sends.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** One request. `key` is its Idempotency-Key. */
export async function call(
  url: string,
  token: string,
  method: string,
  path: string,
  { body, key, headers = {}, signal }: CallOptions = {},
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
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}

/** Somebody with a token. POSTs carry an Idempotency-Key of their own unless given one. */
export class Caller {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get(path: string): Promise<Answer> {
    return call(this.url, this.token, 'GET', path);
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const { key = randomUUID() } = options;
    return call(this.url, this.token, 'POST', path, { ...options, key, body });
  }

  delete(path: string): Promise<Answer> {
    return call(this.url, this.token, 'DELETE', path);
  }
}
