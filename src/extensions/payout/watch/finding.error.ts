import { defineProblem } from '../../../../libs/problem';

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
