import { Problem, type ProblemFactory } from '../../../libs/problem';
import { invalidRequest } from '../../platform/http';
import { tooManyActivities, tooManyPackets } from '../../core/activity';
import { backingProblems } from '../../core/currency';
import { outletProblems } from '../../core/outlet';
import { budgetExceeded, insufficientFunds, walletFrozen } from '../../core/wallet';
import type { MissedReason, Refusal } from './series';

/** Explains why an occurrence was not created, if the cause is not a problem of a request. */
export class Refused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.detail);
  }
}

/** These pass by themselves, so an occurrence that has begun is still tried until its end. */
const PASSING: readonly MissedReason[] = ['busy', 'failed', 'preflight'];

export const isPassing = ({ reason }: Refusal): boolean => PASSING.includes(reason);

const SAID_BY: readonly (readonly [MissedReason, () => readonly ProblemFactory[]])[] = [
  ['no-funds', () => [insufficientFunds]],
  ['over-budget', () => [budgetExceeded]],
  ['wallet-frozen', () => [walletFrozen]],
  ['too-many', () => [tooManyActivities, tooManyPackets]],
  ['terms', () => [invalidRequest]],
  ['channel', outletProblems],
  ['codes', backingProblems],
];

/** Returns the reason that an error gives why an occurrence could not be created. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof Problem))
    return { reason: 'failed', detail: 'The program failed; its log has the reason.' };
  const { fields = [] } = error;
  const detail = fields.map(({ field, message }) => `${field} ${message}`).join('; ') || error.detail;
  const known = SAID_BY.find(([, problems]) =>
    problems().some(({ definition: { code } }) => code === error.code),
  );
  return { reason: known?.[0] ?? 'busy', detail };
}
