import { defineProblem } from '../../../libs/problem';

export const packetNotFound = defineProblem({
  code: 'thanks.packet_not_found',
  status: 404,
  title: 'You do not hold this packet',
});

export const packetVoid = defineProblem({
  code: 'thanks.packet_void',
  status: 409,
  title: 'The packet is void',
});

export const thanksGiven = defineProblem({
  code: 'thanks.given',
  status: 409,
  title: 'You have already said thanks for this packet',
});
