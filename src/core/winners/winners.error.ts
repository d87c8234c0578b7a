import { defineProblem } from '../../../libs/problem';

export const claimNotFound = defineProblem({
  code: 'grab.nothing_won',
  status: 404,
  title: 'No packet of this activity is yours',
});
