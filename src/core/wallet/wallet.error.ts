import { defineProblem } from '../../../libs/problem';

export const insufficientFunds = defineProblem({
  code: 'wallet.insufficient_funds',
  status: 422,
  title: 'The wallet does not hold enough money',
});

export const budgetExceeded = defineProblem({
  code: 'wallet.budget_exceeded',
  status: 422,
  title: 'The budget of the day does not allow it',
});

export const walletFrozen = defineProblem({
  code: 'wallet.frozen',
  status: 422,
  title: 'The wallet is frozen',
});

export const balanceLimitReached = defineProblem({
  code: 'wallet.balance_limit',
  status: 422,
  title: 'The account cannot hold that much',
});

export const depositNotFound = defineProblem({
  code: 'deposit.not_found',
  status: 404,
  title: 'Deposit not found',
});

export const depositKept = defineProblem({
  code: 'deposit.kept',
  status: 409,
  title: 'The deposit can only leave with what its units stand for',
});

export const depositReversed = defineProblem({
  code: 'deposit.reversed',
  status: 409,
  title: 'The deposit was already reversed',
});

export const transferNotFound = defineProblem({
  code: 'transfer.not_found',
  status: 404,
  title: 'Transfer not found',
});

export const deadLetterNotFound = defineProblem({
  code: 'dead_letter.not_found',
  status: 404,
  title: 'Dead letter not found',
});

export const deadLetterNotOpen = defineProblem({
  code: 'dead_letter.not_open',
  status: 409,
  title: 'The dead letter is no longer open',
});

export const claimNotPending = defineProblem({
  code: 'claim.not_pending',
  status: 409,
  title: 'The claim is not waiting for payment',
});

export const claimNotHeld = defineProblem({
  code: 'claim.not_held',
  status: 409,
  title: 'The claim is not held',
});
