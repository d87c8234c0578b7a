import { defineProblem } from '../../../../libs/problem';

export const payoutNotFound = defineProblem({
  code: 'payout.not_found',
  status: 404,
  title: 'Payout not found',
});

export const payoutNotOpen = defineProblem({
  code: 'payout.not_open',
  status: 409,
  title: 'The payout is not on its way',
});

export const payoutSentAgain = defineProblem({
  code: 'payout.sent_again',
  status: 409,
  title: 'The payout was sent after the evidence was gathered',
});

export const ownPayout = defineProblem({
  code: 'payout.own',
  status: 403,
  title: 'You cannot decide on your own payout',
});
