import { defineProblem } from '../../../../libs/problem';

export const idempotencyKeyMissing = defineProblem({
  code: 'idempotency.key_missing',
  status: 400,
  title: 'Idempotency-Key missing',
});

export const idempotencyKeyInvalid = defineProblem({
  code: 'idempotency.key_invalid',
  status: 400,
  title: 'Idempotency-Key invalid',
});

export const idempotencyInFlight = defineProblem({
  code: 'idempotency.in_flight',
  status: 409,
  title: 'Request in flight',
});

export const idempotencyMismatch = defineProblem({
  code: 'idempotency.mismatch',
  status: 422,
  title: 'Idempotency-Key used for another request',
});
