import { defineProblem } from '../../../libs/problem';

export const nobodyLetIn = defineProblem({
  code: 'activity.nobody_let_in',
  status: 422,
  title: 'The crowd was not let in',
});

export const notARehearsal = defineProblem({
  code: 'activity.not_a_rehearsal',
  status: 409,
  title: 'The activity is not a rehearsal',
});
