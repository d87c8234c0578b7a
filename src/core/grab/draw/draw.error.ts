import { defineProblem } from '../../../../libs/problem';

export const dispenserAway = defineProblem({
  code: 'grab.unavailable',
  status: 503,
  title: 'Packets cannot be handed out right now',
});
