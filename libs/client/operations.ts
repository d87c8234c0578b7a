import type { components, operations, paths } from './api';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** A part of the API document by its name, e.g. `Schema<'ActivityDto'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A message of a webhook. `type` tells which one. */
export type WebhookMessage = Schema<'WebhookMessage'>;

/** A frame of the gateway that brings news. `event` tells which; after `resync`, read the current state. */
export type NewsFrame = Schema<'NewsFrame'>;

/** The filters of a list, and other parts of an operation's query. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

/** Options of requests. An operation accepts those that have an effect on it. */
export interface RequestOptions {
  /** The `Idempotency-Key`; a new one unless given. */
  readonly key?: string;
  /** The user for whom a server asks, with a token of the role `server`; that of the client unless given. */
  readonly actFor?: string;
  /** The ticket of an activity that demands one. */
  readonly ticket?: string;
  readonly signal?: AbortSignal;
}

export type Options<Name extends keyof RequestOptions = never> = Pick<RequestOptions, Name | 'signal'>;

/** The paths at which there is an operation of this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends undefined ? never : P;
}[keyof paths];

type OperationAt<M extends Method, P extends PathOf<M>> = paths[P][M];

type PathPart<Operation> = Operation extends { parameters: { path: infer Path } }
  ? { readonly path: Path }
  : { readonly path?: never };

type QueryPart<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? { readonly query?: Query }
  : { readonly query?: never };

/** Headers that an operation takes besides those that the client sends by itself. */
type HeaderPart<Operation> = Operation extends { parameters: { header?: infer Header } }
  ? { readonly header?: Partial<Header> }
  : { readonly header?: never };

type BodyPart<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { readonly body: Body }
  : { readonly body?: never };

/**
 * The input of an operation: parameters of its path, its query, its headers and its body, each where
 * it has one.
 */
type SentTo<Operation> = PathPart<Operation> &
  QueryPart<Operation> &
  HeaderPart<Operation> &
  BodyPart<Operation> &
  Options<'key'>;

/** An argument that may be left out if none of its fields is required. */
type Argument<T> = Record<never, never> extends T ? [sent?: T] : [sent: T];

export type Sent<M extends Method, P extends PathOf<M>> = Argument<SentTo<OperationAt<M, P>>>;

type SuccessOf<Responses> = Responses[keyof Responses & (200 | 201 | 202 | 204)];

type BodyOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The body of a success; undefined where there is none. */
export type Answer<M extends Method, P extends PathOf<M>> =
  OperationAt<M, P> extends { responses: infer Responses } ? BodyOf<SuccessOf<Responses>> : never;

type ContentOf<Operation> = Operation extends { responses: { 200: { content: infer Content } } }
  ? Content
  : never;

/** The paths that take a file instead of JSON. */
export type UploadPath = {
  [P in PathOf<'post'>]: OperationAt<'post', P> extends { requestBody: { content: infer Content } }
    ? 'application/json' extends keyof Content
      ? never
      : P
    : never;
}[PathOf<'post'>];

/** The input of an upload. The type of the file is one that the path takes. */
export type SentForUpload<P extends UploadPath> = SentTo<OperationAt<'post', P>> & { readonly file: Blob };

/** The paths that answer with something other than JSON, which is read as it comes. */
export type StreamPath = {
  [P in PathOf<'get'>]: 'application/json' extends keyof ContentOf<OperationAt<'get', P>> ? never : P;
}[PathOf<'get'>];

/** The input of a stream operation, with one of the media types that it can answer in. */
export type SentForStream<P extends StreamPath> = SentTo<OperationAt<'get', P>> & {
  readonly accept: keyof ContentOf<OperationAt<'get', P>> & string;
};
