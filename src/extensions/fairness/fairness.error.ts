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
