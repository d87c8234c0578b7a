import { invariant } from '../invariant';
import type { FieldFault } from './fault';

/** Clients branch on `code`, which is public and stable (`activity.not_found`). */
export interface ProblemDefinition {
  readonly code: string;
  readonly status: number;
  readonly title: string;
}

/** `cause` is only for the log and never reaches the client. */
export interface ProblemExtra {
  readonly fields?: readonly FieldFault[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** Makes a problem to throw: `throw activityNotFound(`No activity ${id}.`)`. `detail` is public. */
export interface ProblemFactory {
  (detail: string, extra?: ProblemExtra): Problem;
  readonly definition: ProblemDefinition;
}

/** An answer of RFC 9457 in the making. Everything on it is public, except `cause` and `stack`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly fields?: readonly FieldFault[];
  readonly retryAfterSeconds?: number;

  constructor(
    definition: ProblemDefinition,
    readonly detail: string,
    extra: ProblemExtra = {},
  ) {
    super(detail, extra);
    this.code = definition.code;
    this.status = definition.status;
    this.title = definition.title;
    this.fields = extra.fields;
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}

const definitions = new Map<string, ProblemDefinition>();

/**
 * Declares a kind of problem, once, while modules load.
 *
 * @throws InvariantViolation if the code is taken, or the status is not an HTTP error (400–599)
 */
export function defineProblem(definition: ProblemDefinition): ProblemFactory {
  const { code, status } = definition;
  invariant(!definitions.has(code), () => `Problem code "${code}" is defined twice.`);
  invariant(isErrorStatus(status), () => `Problem "${code}" has status ${status}; 400 to 599 are errors.`);
  definitions.set(code, definition);
  return Object.assign((detail: string, extra?: ProblemExtra) => new Problem(definition, detail, extra), {
    definition,
  });
}

/** Every kind of problem declared by the modules loaded so far, ordered by code. */
export function definedProblems(): ProblemDefinition[] {
  return [...definitions.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
}
