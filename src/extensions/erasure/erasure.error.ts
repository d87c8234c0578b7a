import { defineProblem } from '../../../libs/problem';

export const erasureNotFound = defineProblem({
  code: 'erasure.not_found',
  status: 404,
  title: 'Erasure not found',
});

export const notAtRest = defineProblem({
  code: 'erasure.under_way',
  status: 409,
  title: 'Something is under way for this person',
});

export const dutyToKeep = defineProblem({
  code: 'erasure.kept',
  status: 409,
  title: 'The records of this person have to be kept for now',
});

export const erasureRequested = defineProblem({
  code: 'erasure.requested',
  status: 409,
  title: 'This person is being forgotten',
});

export const erasureFinal = defineProblem({
  code: 'erasure.final',
  status: 409,
  title: 'This erasure can no longer be withdrawn',
});

export const alreadyForgotten = defineProblem({
  code: 'erasure.pseudonym',
  status: 409,
  title: 'This is the pseudonym of a person who was forgotten',
});
