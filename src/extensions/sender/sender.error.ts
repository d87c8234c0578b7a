import { defineProblem } from '../../../libs/problem';

export const dayFull = defineProblem({
  code: 'sender.day_full',
  status: 429,
  title: 'You have sent as much as a day allows',
});
