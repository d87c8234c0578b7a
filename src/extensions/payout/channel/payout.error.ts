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
  title: 'You cannot decide about your own payout',
});

export const belowSmallest = defineProblem({
  code: 'payout.below_smallest',
  status: 422,
  title: 'The channel does not pay out so little',
});

export const aboveLargest = defineProblem({
  code: 'payout.above_largest',
  status: 422,
  title: 'The channel does not pay out so much at once',
});

export const payoutLimitReached = defineProblem({
  code: 'payout.limit_reached',
  status: 409,
  title: 'A limit of payouts is reached',
});

export const channelNotFound = defineProblem({
  code: 'payout_channel.not_found',
  status: 404,
  title: 'Payout channel not found',
});

export const channelPaused = defineProblem({
  code: 'payout_channel.paused',
  status: 409,
  title: 'The payout channel is paused',
});

export const activityUnpayable = defineProblem({
  code: 'activity.unpayable',
  status: 422,
  title: 'The channel could not pay out every packet',
});

export const channelInUse = defineProblem({
  code: 'payout_channel.in_use',
  status: 409,
  title: 'Payouts or activities of the channel have not ended',
});

export const channelNotCalled = defineProblem({
  code: 'payout_channel.not_called',
  status: 409,
  title: 'The payout channel has no URL, and no secret',
});

export const channelHeld = defineProblem({
  code: 'payout_channel.held',
  status: 409,
  title: 'The payout channel is not called for this payout now',
});

export const tooManyChannels = defineProblem({
  code: 'payout_channel.too_many',
  status: 409,
  title: 'Too many payout channels',
});

export const statementDayOpen = defineProblem({
  code: 'payout_statement.day_not_over',
  status: 409,
  title: 'The day of the file is not over',
});

export const statementMalformed = defineProblem({
  code: 'payout_statement.malformed',
  status: 422,
  title: 'A line of the file cannot be read',
});

export const statementNotFound = defineProblem({
  code: 'payout_statement.not_found',
  status: 404,
  title: 'File not found',
});

export const statementSuperseded = defineProblem({
  code: 'payout_statement.superseded',
  status: 409,
  title: 'The file of the day was handed in again meanwhile',
});

export const statementTooWrong = defineProblem({
  code: 'payout_statement.too_wrong',
  status: 422,
  title: 'Too many lines of the file differ from our books',
});

export const findingNotFound = defineProblem({
  code: 'payout_finding.not_found',
  status: 404,
  title: 'Finding not found',
});

export const findingEnded = defineProblem({
  code: 'payout_finding.ended',
  status: 409,
  title: 'The finding has ended already',
});
