import { defineProblem } from '../../../libs/problem';

export const packetUncommitted = defineProblem({
  code: 'packet.uncommitted',
  status: 404,
  title: 'The packet was drawn by a release that published no commitments',
});

export const packetNotYours = defineProblem({
  code: 'packet.not_yours',
  status: 404,
  title: 'The packet is not yours',
});

export const commitmentNotFound = defineProblem({
  code: 'commitment.not_found',
  status: 404,
  title: 'Commitment not found',
});

export const commitmentUsed = defineProblem({
  code: 'commitment.used',
  status: 409,
  title: 'Commitment used',
});

export const commitmentExpired = defineProblem({
  code: 'commitment.expired',
  status: 409,
  title: 'Commitment expired',
});

export const tooManyCommitments = defineProblem({
  code: 'commitment.too_many',
  status: 409,
  title: 'Too many commitments',
});
