import { randomUUID } from 'node:crypto';
import type { Chance } from '../faults/chance';
import type { Api, Operation, Parameter } from './operations';
import { hostile, HOSTILE_TEXTS, type ValidValues } from './values';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

const CONTENT_TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  '',
  'application/json;'.repeat(50),
];
const METHODS = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const KEYS_REMEMBERED = 50;

/** Makes requests that are right, nearly right or quite wrong, and the same ones for the same chance. */
export class RequestMaker {
  private readonly keys: string[] = [];

  constructor(
    private readonly api: Api,
    private readonly chance: Chance,
    private readonly values: ValidValues,
    /** Bearer tokens, valid and invalid. */
    private readonly tokens: readonly string[],
  ) {}

  make(): FuzzRequest {
    const { chance } = this;
    const operation = chance.pick(this.api.operations);
    const wrongness = chance.pick([0, 0.1, 0.5]);
    const query = this.query(operation, wrongness);
    const body = this.body(operation, wrongness);
    return {
      method: chance.isTrue(wrongness / 20) ? chance.pick(METHODS) : operation.method,
      path: this.path(operation, wrongness) + (query && `?${query}`),
      headers: this.headers(operation, wrongness, body),
      body,
    };
  }

  private path({ path, parameters }: Operation, wrongness: number): string {
    const ofPath = parameters.filter((parameter) => parameter.in === 'path');
    return ofPath.reduce(
      (whole, parameter) => whole.replace(`{${parameter.name}}`, this.escaped(parameter, wrongness)),
      path,
    );
  }

  private escaped(parameter: Parameter, wrongness: number): string {
    const value = encodeURIComponent(wellFormed(this.value(parameter, wrongness)));
    return this.chance.isTrue(wrongness / 20) ? `${value}%` : value;
  }

  private query({ parameters }: Operation, wrongness: number): string {
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query' && this.chance.isTrue(0.5))
      .map((parameter) => `${parameter.name}=${this.escaped(parameter, wrongness)}`);
    if (this.chance.isTrue(wrongness / 5)) pairs.push(...pairs, `userId=${this.chance.pick(['u1', ''])}`);
    if (this.chance.isTrue(wrongness / 5)) pairs.push('__proto__[role]=operator');
    if (this.chance.isTrue(wrongness / 5)) pairs.push(this.parameterOfAnother());
    return pairs.join('&');
  }

  /** It may be read before anything notices that it does not belong here. */
  private parameterOfAnother(): string {
    const others = this.chance.pick(this.api.operations).parameters.filter((other) => other.in === 'query');
    const name = others.length > 0 ? this.chance.pick(others).name : 'currency';
    return `${name}=${encodeURIComponent(wellFormed(textOf(hostile(this.chance))))}`;
  }

  private value(parameter: Parameter, wrongness: number): string {
    if (this.chance.isTrue(wrongness)) return textOf(hostile(this.chance));
    return String(this.values.of(parameter.schema, parameter.name));
  }

  private headers(operation: Operation, wrongness: number, body?: string): Record<string, string> {
    const { chance } = this;
    const wrong = () => chance.isTrue(wrongness / 3);
    return {
      ...(!wrong() && { authorization: `Bearer ${chance.pick(this.tokens)}` }),
      ...(operation.method === 'POST' && !wrong() && { 'idempotency-key': this.key(wrongness) }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...(body !== undefined && {
        'content-type': wrong() ? chance.pick(CONTENT_TYPES) : 'application/json',
      }),
      ...(wrong() && { 'x-user-id': 'u2' }),
      ...(chance.isTrue(0.1) && { 'act-for': chance.pick(['u1', 'u2', ...(wrong() ? ['', 'u 1'] : [])]) }),
      ...(wrong() && { 'x-forwarded-for': chance.pick(['1.2.3.4', 'x'.repeat(500), '::1, 10.0.0.1']) }),
      ...(wrong() && { 'x-request-id': chance.pick(['ok-1', 'a b', 'x'.repeat(100)]) }),
      ...(wrong() && { cookie: 'x'.repeat(chance.pick([10, 7_000, 9_000])) }),
    };
  }

  /** Sometimes returns a key that was used before, for the same or another request. */
  private key(wrongness: number): string {
    if (this.keys.length > 0 && this.chance.isTrue(0.1)) return this.chance.pick(this.keys);
    if (this.chance.isTrue(wrongness / 5))
      return this.chance.pick(['short', 'x'.repeat(129), 'with space 1', 'ümlautkey']);
    const key = randomUUID();
    this.keys.push(key);
    if (this.keys.length > KEYS_REMEMBERED) this.keys.shift();
    return key;
  }

  private body({ body }: Operation, wrongness: number): string | undefined {
    const { chance } = this;
    if (chance.isTrue(wrongness / 4)) return chance.pick(HOSTILE_TEXTS);
    if (body === undefined) return chance.isTrue(wrongness / 4) ? '{"userId":"u2"}' : undefined;
    return JSON.stringify(this.spoilt(this.values.of(body), wrongness));
  }

  /** Returns the same value with some parts replaced, removed or added. */
  private spoilt(value: unknown, wrongness: number): unknown {
    const { chance } = this;
    if (chance.isTrue(wrongness / 4)) return hostile(chance);
    if (Array.isArray(value)) return value.map((part) => this.spoilt(part, wrongness));
    if (typeof value !== 'object' || value === null) return value;
    if (chance.isTrue(wrongness / 20)) return chance.pick([[], [value]]);
    const parts = Object.entries(value)
      .filter(() => !chance.isTrue(wrongness / 4))
      .map(([key, part]) => [key, this.spoilt(part, wrongness)] as const);
    if (chance.isTrue(wrongness / 4))
      parts.push([chance.pick(['extra', 'userId', '__proto__', '']), hostile(chance)]);
    return Object.fromEntries(parts);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Replaces halves of surrogate pairs, which no URL can contain. */
const wellFormed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '?');
