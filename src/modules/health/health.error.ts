import { defineProblem } from '../../../libs/problem';

export const notReady = defineProblem({ code: 'health.not_ready', status: 503, title: 'Not ready' });
