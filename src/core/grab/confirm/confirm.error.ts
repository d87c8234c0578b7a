import { defineProblem } from '../../../../libs/problem';

export const lookupsFull = defineProblem({
  code: 'grab.lookups_full',
  status: 503,
  title: 'Too many ask what has become of a packet',
});

export const backlogFull = defineProblem({
  code: 'grab.backlog_full',
  status: 503,
  title: 'Too many packets wait for their confirmation',
});
