import type { Schema } from './operations';

export type ProblemCode = Schema<'ProblemCode'>;

export type FieldFault = NonNullable<Schema<'ProblemDto'>['errors']>[number];

const MEDIA_TYPE = 'application/problem+json';
const EXCERPT_LENGTH = 200;

/** A problem that the API answered with (RFC 9457). `code` is stable: branch on it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The fields at fault, as the request names them. */
  readonly errors: readonly FieldFault[];
  /** The id under which the log of the API says more. */
  readonly requestId?: string;

  constructor(
    { code, status, title, detail, errors = [], requestId }: Schema<'ProblemDto'>,
    /** The wait before the request may be repeated. */
    readonly retryAfterSeconds?: number,
  ) {
    super(`${status} ${code}: ${detail}`);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.errors = errors;
    this.requestId = requestId;
  }

  /**
   * Nothing was done under this `Idempotency-Key`, and nothing will be. An outage may follow the commit, and
   * a request in progress may still commit. An expired token and a rate limit are answered before the key is
   * looked at. Repeat all of these under the same key.
   */
  get isFinal(): boolean {
    return this.status < 500 && ![401, 429].includes(this.status) && this.code !== 'idempotency.in_flight';
  }
}

/** An answer from a proxy or another server, not from the API. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';

  constructor(
    readonly status: number,
    text: string,
  ) {
    super(`The answer was ${status}, and not from this API: ${text.slice(0, EXCERPT_LENGTH)}`);
  }
}

export async function refusalOf(response: Response): Promise<ApiProblem | UnexpectedAnswer> {
  if (mediaTypeOf(response) !== MEDIA_TYPE) return unexpectedAnswer(response);
  return new ApiProblem((await response.json()) as Schema<'ProblemDto'>, retryAfterOf(response));
}

/** Reads no more than it shows, because the answer may be endless. */
export async function unexpectedAnswer({ status, body }: Response): Promise<UnexpectedAnswer> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  const start = await reader?.read();
  await reader?.cancel();
  return new UnexpectedAnswer(status, new TextDecoder().decode(start?.value));
}

export function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]!.trim().toLowerCase();
}

/** Undefined when waiting does not help, or the answer names a date, which the API never does. */
export function retryAfterOf({ headers }: Response): number | undefined {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
}
