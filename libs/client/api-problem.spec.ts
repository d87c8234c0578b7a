import { ApiProblem, type ProblemCode } from './api-problem';

const problem = (status: number, code: ProblemCode) =>
  new ApiProblem({ type: 'about:blank', title: code, status, code, detail: code });

describe('a problem', () => {
  it.each([
    ['is final', true, problem(409, 'wallet.insufficient_funds')],
    ['is final', true, problem(422, 'idempotency.mismatch')],
    ['may come after the commit', false, problem(503, 'unavailable')],
    ['says nothing of an earlier attempt', false, problem(401, 'auth.unauthenticated')],
    ['says nothing of an earlier attempt', false, problem(429, 'rate_limited')],
    ['may come before the commit', false, problem(409, 'idempotency.in_flight')],
  ])('%s: %s, %s', (_, isFinal, one) => {
    expect(one.isFinal).toBe(isFinal);
  });
});
