import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, CallOptions } from '../harness/client';
import { call, GIVE_UP_AFTER_MS, NoAnswer, RETRY_AFTER_MS, tokenOf } from './api-call';

/** The request did not arrive in time, as on a machine that stood still, or it is still being processed. */
const WORTH_ANOTHER_TRY = [408, 409];

type Body = Pick<CallOptions, 'body' | 'text' | 'headers'>;

/** For requests that need a second person: one asks, and the other approves. */
export interface TwoOperators {
  readonly one: Operator;
  readonly other: Operator;
}

/** Repeats each request under one Idempotency-Key, at the APIs in turn, until it is answered. */
export class Operator {
  readonly internalErrors: string[] = [];
  private readonly token: string;

  constructor(
    private readonly apiUrls: readonly string[],
    name = 'operator',
    role: 'user' | 'operator' = 'operator',
  ) {
    this.token = tokenOf(name, role);
  }

  /** Returns a user who is as persistent. */
  as(userId: string): Operator {
    return new Operator(this.apiUrls, userId, 'user');
  }

  post(path: string, body?: unknown): Promise<Answer['body']> {
    return this.send('POST', path, { body });
  }

  /** Creates a rain of equal packets that is open from now on. Returns its id. */
  async createRain(terms: object, lastsMs: number): Promise<string> {
    const [opensAt, closesAt] = [0, lastsMs].map((ms) => new Date(Date.now() + ms).toISOString());
    const body = { ...terms, split: { kind: 'equal' }, opensAt, closesAt };
    return (await this.post('/v1/activities', body)).id;
  }

  async send(method: 'GET' | 'POST', path: string, options: Body = {}): Promise<Answer['body']> {
    const sent = { ...options, key: method === 'POST' ? randomUUID() : undefined };
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    let last = 'nothing';
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      try {
        const apiUrl = this.apiUrls[attempt % this.apiUrls.length]!;
        const { status, body } = await call(apiUrl, this.token, method, path, sent);
        if (status < 300) return body;
        if (status === 500) this.internalErrors.push(`${method} ${path} answered 500`);
        if (status < 500 && !WORTH_ANOTHER_TRY.includes(status))
          throw new NoAnswer(`${method} ${path}: ${status} ${body.detail} ${fieldsOf(body)}`);
        last = `${status} ${body.code}`;
      } catch (error) {
        if (error instanceof NoAnswer) throw error;
        last = String(error);
      }
      await pause(RETRY_AFTER_MS);
    }
    throw new NoAnswer(`${method} ${path} was not answered, last: ${last}`);
  }
}

export const twoOperators = (apiUrls: readonly string[]): TwoOperators => ({
  one: new Operator(apiUrls),
  other: new Operator(apiUrls, 'second-operator'),
});

const fieldsOf = ({ errors = [] }: Answer['body']): string =>
  errors.map(({ field }: { field: string }) => field).join();
