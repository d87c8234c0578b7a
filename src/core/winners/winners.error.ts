import { defineProblem } from '../../../libs/problem';

export const noSuchClaim = defineProblem({ code: 'claim.not_found', status: 404, title: 'Claim not found' });

export const claimNotFound = defineProblem({
  code: 'grab.nothing_won',
  status: 404,
  title: 'You have no packet of this activity',
});
