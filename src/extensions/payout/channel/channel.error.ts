import { defineProblem } from '../../../../libs/problem';

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
