import { defineProblem } from '../../../libs/problem';

export const notReady = defineProblem({ code: 'health.not_ready', status: 503, title: 'Not ready' });

export const dependenciesFail = defineProblem({
  code: 'health.dependencies_fail',
  status: 503,
  title: 'Dependencies fail',
});
