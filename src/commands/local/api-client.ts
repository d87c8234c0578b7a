import { randomUUID } from 'node:crypto';

/** What the API answered, whatever it was. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** A client of the public HTTP API: the local commands use no other way in. */
export class ApiClient {
  constructor(
    private readonly apiUrl: string,
    private readonly token: string,
  ) {}

  async get<T>(path: string): Promise<T> {
    return this.expectSuccess('GET', path, await this.send<T>('GET', path));
  }

  /** With an Idempotency-Key of its own. */
  async post<T>(path: string, body?: object): Promise<T> {
    return this.expectSuccess('POST', path, await this.send<T>('POST', path, body));
  }

  async send<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer<T>> {
    const response = await fetch(this.apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  private expectSuccess<T>(method: string, path: string, { status, body }: Answer<T>): T {
    if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }
}
