import { ApiProblem, type FieldFault, UnexpectedAnswer, Unreachable } from '../../../libs/client';

/** What went wrong, as people read it. */
export interface Fault {
  readonly sentence: string;
  readonly fields: readonly FieldFault[];
  /** Whether it is known that nothing was done: then a new attempt is a new request. */
  readonly isAnswered: boolean;
}

/** Sent to the window when a token is not accepted any more. */
export const SIGNED_OUT = 'console.signed-out';

export function faultOf(error: unknown): Fault {
  if (error instanceof ApiProblem && error.status === 401) dispatchEvent(new Event(SIGNED_OUT));
  if (error instanceof ApiProblem)
    return { sentence: sentenceOf(error), fields: error.errors, isAnswered: true };
  if (error instanceof Unreachable)
    return unanswered('The API does not answer. Try again; nothing is done twice.');
  if (error instanceof UnexpectedAnswer)
    return unanswered('Something between here and the API answered in its place. Try again.');
  return unanswered(`Something went wrong on this page: ${String(error)}`);
}

const unanswered = (sentence: string): Fault => ({ sentence, fields: [], isAnswered: false });

/** The API's own words, which are written for people, and what finds the request in its log. */
function sentenceOf({ status, title, detail, errors, requestId }: ApiProblem): string {
  const fields = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  const id = status >= 500 && requestId !== undefined ? ` (request ${requestId})` : '';
  return `${title}: ${fields || detail}${id}`;
}
