import { defineProblem } from '../../../libs/problem';

export const notARehearsal = defineProblem({
  code: 'activity.not_a_rehearsal',
  status: 409,
  title: 'The activity is not a rehearsal',
});
