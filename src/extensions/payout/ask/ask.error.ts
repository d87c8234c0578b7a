import { defineProblem } from '../../../../libs/problem';

export const belowSmallest = defineProblem({
  code: 'payout.below_smallest',
  status: 422,
  title: 'The channel does not pay out so small an amount',
});

export const aboveLargest = defineProblem({
  code: 'payout.above_largest',
  status: 422,
  title: 'The channel does not pay out so large an amount',
});

export const payoutLimitReached = defineProblem({
  code: 'payout.limit_reached',
  status: 409,
  title: 'A payout limit is reached',
});
