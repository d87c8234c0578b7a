import { defineProblem } from '../../../../libs/problem';

export const belowSmallest = defineProblem({
  code: 'payout.below_smallest',
  status: 422,
  title: 'The amount is too small for the channel',
});

export const aboveLargest = defineProblem({
  code: 'payout.above_largest',
  status: 422,
  title: 'The amount is too large for the channel',
});

export const payoutLimitReached = defineProblem({
  code: 'payout.limit_reached',
  status: 409,
  title: 'A payout limit is reached',
});
