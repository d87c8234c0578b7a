import { ApiProblem, type FieldFault, UnexpectedAnswer, Unreachable } from '../../../libs/client';
import { labelled, labelOf } from './labels';

export interface Fault {
  readonly sentence: string;
  readonly fields: readonly FieldFault[];
  /** Nothing was done: a new attempt is a new request. */
  readonly isAnswered: boolean;
}

/** The window receives this when a token is no longer accepted. */
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

/** The API's text is written for people; the id finds the request in its log. */
function sentenceOf({ status, title, detail, errors, requestId }: ApiProblem): string {
  const fields = errors
    .map(({ field, message }) => `${labelOf(field)} ${labelled(message, field)}`)
    .join('; ');
  const id = status >= 500 && requestId !== undefined ? ` (request ${requestId})` : '';
  return `${title}: ${fields || detail}${id}`;
}
