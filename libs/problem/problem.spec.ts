import { defineProblem, definedProblems, Problem } from '.';
import { InvariantViolation } from '../invariant';

const packetLost = defineProblem({ code: 'packet.lost', status: 404, title: 'Packet lost' });

describe('a defined problem', () => {
  it('carries the definition and the detail, and is an Error whose message is the detail', () => {
    const problem = packetLost('No packet 7.');
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toBeInstanceOf(Error);
    expect(problem).toMatchObject({
      name: 'Problem',
      code: 'packet.lost',
      status: 404,
      title: 'Packet lost',
      detail: 'No packet 7.',
      message: 'No packet 7.',
    });
  });

  it('carries the faults of fields, the time to wait and the cause', () => {
    const cause = new Error('connection reset');
    const fields = [{ field: 'totalAmount', message: 'must be a string' }];
    const problem = packetLost('Later.', { fields, retryAfterSeconds: 2, cause });
    expect(problem).toMatchObject({ fields, retryAfterSeconds: 2 });
    expect(problem.cause).toBe(cause);
  });

  it('has no cause of its own when none was given', () => {
    expect(packetLost('No packet 7.')).not.toHaveProperty('cause');
  });

  it('starts its stack where it was thrown', () => {
    expect(packetLost('No packet 7.').stack).toContain('problem.spec');
  });

  it('shows its definition, for documentation', () => {
    expect(packetLost.definition).toEqual({ code: 'packet.lost', status: 404, title: 'Packet lost' });
  });
});

describe('defining problems', () => {
  it('refuses a code that is taken', () => {
    expect(() => defineProblem({ code: 'packet.lost', status: 410, title: 'Gone' })).toThrow(
      InvariantViolation,
    );
  });

  it.each([200, 302, 399, 600, 404.5, NaN])('refuses status %p, which is not an HTTP error', (status) => {
    expect(() => defineProblem({ code: `bad.${status}`, status, title: 'Bad' })).toThrow(InvariantViolation);
    expect(definedProblems().map(({ code }) => code)).not.toContain(`bad.${status}`);
  });

  it.each([400, 599])('accepts status %p', (status) => {
    expect(defineProblem({ code: `edge.${status}`, status, title: 'Edge' })('x').status).toBe(status);
  });

  it('lists every definition ordered by code', () => {
    defineProblem({ code: 'activity.melted', status: 409, title: 'Activity melted' });
    expect(definedProblems().map(({ code }) => code)).toEqual([
      'activity.melted',
      'edge.400',
      'edge.599',
      'packet.lost',
    ]);
  });
});
