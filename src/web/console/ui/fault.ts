import { ApiProblem, type FieldFault, UnexpectedAnswer, Unreachable } from '../../../../libs/client';
import { SIGNED_OUT } from '../../kit/session';
import { words } from '../words';
import { labelled, labelOf } from '../words/labels';

export interface Fault {
  readonly sentence: string;
  /** Nothing was done: a new attempt is a new request. */
  readonly isAnswered: boolean;
  /** There is nothing by this name, or nothing that this person may see. */
  readonly isMissing?: boolean;
  /** No answer came within the limit, although the network carries requests. */
  readonly hangs?: boolean;
}

/** The API did as it was asked, but without the wanted effect. */
export class Unfulfilled extends Error {
  /** @param sentence is read when it is shown, in the language of that moment */
  constructor(readonly sentence: () => string) {
    super();
  }
}

export function faultOf(error: unknown): Fault {
  if (isSignInOver(error)) dispatchEvent(new Event(SIGNED_OUT));
  return {
    /** Read when it is shown, in the language of that moment. */
    get sentence() {
      return sentenceOf(error);
    },
    isAnswered: error instanceof Unfulfilled || (error instanceof ApiProblem && error.isFinal),
    isMissing: error instanceof ApiProblem && error.status === 404,
    hangs: isTimeout(error),
  };
}

const isSignInOver = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;

const isTimeout = (error: unknown): boolean => error instanceof DOMException && error.name === 'TimeoutError';

function sentenceOf(error: unknown): string {
  if (error instanceof Unfulfilled) return error.sentence();
  if (isSignInOver(error)) return words.faults.signInOver;
  if (error instanceof ApiProblem) return problemText(error);
  if (error instanceof Unreachable) return navigator.onLine ? words.faults.away : words.faults.offline;
  if (isTimeout(error)) return words.faults.hangs;
  if (error instanceof UnexpectedAnswer) return words.faults.inBetween;
  return words.faults.here(error instanceof Error ? error.message : String(error));
}

/** The API's text is written for people; the id finds the request in its log. */
function problemText(problem: ApiProblem): string {
  const fields = problem.errors.map(inLabels);
  const text = fields.length > 0 ? words.faults.fields(problem, fields) : words.faults.problem(problem);
  const { status, requestId } = problem;
  return status >= 500 && requestId !== undefined ? text + words.faults.request(requestId) : text;
}

/** Names the fields as the forms do. */
const inLabels = ({ field, message, other, others, ...rule }: FieldFault): FieldFault => ({
  ...rule,
  field: labelOf(field),
  message: labelled(message, field),
  ...(other !== undefined && { other: labelOf(other) }),
  ...(others && { others: others.map(labelOf) }),
});
