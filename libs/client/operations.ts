import type { components, operations } from './api';

export type Fetch = (request: Request) => Promise<Response>;

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A part of the API document by its name, e.g. `Schema<'ActivityDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A message of a webhook. `type` says which. */
export type WebhookMessage = Schema<'WebhookMessage'>;

/** A frame of the gateway that brings news. `event` tells which; after `resync`, read the current state. */
export type NewsFrame = Schema<'NewsFrame'>;

/** The filters of a list, and other parts of an operation's query. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

/** Keys to an activity that not everyone may know of. */
export interface ActivityKeys {
  readonly shareCode?: string;
  readonly password?: string;
}

/** Options of requests. An operation accepts those that have an effect on it. */
export interface RequestOptions extends ActivityKeys {
  /** The `Idempotency-Key`; by default a new key. */
  readonly key?: string;
  /** The user for whom a server acts, with a token of the role `server`; by default the client's user. */
  readonly actFor?: string;
  /** The ticket, for an activity that requires one. */
  readonly ticket?: string;
  readonly signal?: AbortSignal;
  /** False: an answer of 503 is thrown at once, for callers who ask again anyway. */
  readonly patient?: boolean;
  /** Sends this request in place of the client's `fetch`: one that tells how much of a file is sent, for example. */
  readonly fetch?: Fetch;
}

export type OperationName = keyof operations;

export type Options<Name extends keyof RequestOptions = never> = Pick<
  RequestOptions,
  Name | 'signal' | 'patient' | 'fetch'
>;

/** Method, path, inputs after those of the path, then the media types of an answer that is not JSON, or `status`. */
export type Route = readonly [method: Method, path: string, inputs?: string, answer?: string];
