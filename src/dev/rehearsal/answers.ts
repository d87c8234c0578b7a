import type { Schema } from '../../../libs/client';

export type Answers = Schema<'RehearsalAnswersDto'>;
export type AnswerKind = keyof Answers;

export const ANSWER_KINDS = [
  ...(['won', 'already', 'reserved', 'soldOut', 'limit', 'notYet', 'notOpen'] as const),
  ...(['rateLimited', 'unavailable', 'unanswered', 'refused'] as const),
] satisfies readonly AnswerKind[];

const BY_CODE: Readonly<Record<string, AnswerKind>> = { '0': 'won', '1': 'already', '2': 'reserved' };
const BY_REASON: Readonly<Record<string, AnswerKind>> = {
  'sold-out': 'soldOut',
  limit: 'limit',
  'not-yet': 'notYet',
  'not-open': 'notOpen',
  closed: 'notOpen',
};

/** @param body as it was sent; anything may stand between the crowd and the API */
export function kindOf(status: number, body: string): AnswerKind {
  if (status === 429) return 'rateLimited';
  if (status >= 500) return 'unavailable';
  if (status >= 400) return 'refused';
  const { code, reason } = read(body);
  return BY_CODE[String(code)] ?? BY_REASON[String(reason)] ?? 'refused';
}

function read(body: string): { readonly code?: unknown; readonly reason?: unknown } {
  try {
    return (JSON.parse(body) as object | null) ?? {};
  } catch {
    return {};
  }
}
