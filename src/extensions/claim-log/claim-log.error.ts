import { defineProblem } from '../../../libs/problem';

export const logEmpty = defineProblem({
  code: 'log.empty',
  status: 404,
  title: 'The log of claims is empty',
});

export const claimNotLogged = defineProblem({
  code: 'log.no_such_claim',
  status: 404,
  title: 'The log has no such claim of yours',
});
