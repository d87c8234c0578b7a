import { defineProblem, definedProblems, must, Problem } from '.';
import { InvariantViolation } from '../invariant';

const packetLost = defineProblem({ code: 'packet.lost', status: 404, title: 'Packet lost' });

describe('a defined problem', () => {
  it('a problem carries its definition and detail, and is an Error with the detail as its message', () => {
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

  it('a problem carries the faults of fields, the time to wait and the cause', () => {
    const cause = new Error('connection reset');
    const fields = [{ field: 'totalAmount', ...must.beA('text') }];
    const problem = packetLost('Later.', { fields, retryAfterSeconds: 2, cause });
    expect(problem).toMatchObject({ fields, retryAfterSeconds: 2 });
    expect(problem.cause).toBe(cause);
  });

  it('a problem without a given cause has no cause', () => {
    expect(packetLost('No packet 7.')).not.toHaveProperty('cause');
  });

  it('the stack of a problem starts where it was thrown', () => {
    expect(packetLost('No packet 7.').stack).toContain('problem.spec');
  });

  it('a defined problem shows its definition, for documentation', () => {
    expect(packetLost.definition).toEqual({ code: 'packet.lost', status: 404, title: 'Packet lost' });
  });
});

describe('defining problems', () => {
  it('a code that is already taken is refused', () => {
    expect(() => defineProblem({ code: 'packet.lost', status: 410, title: 'Gone' })).toThrow(
      InvariantViolation,
    );
  });

  it.each([200, 302, 399, 600, 404.5, NaN])(
    'the status %p is refused, because it is not an HTTP error',
    (status) => {
      expect(() => defineProblem({ code: `bad.${status}`, status, title: 'Bad' })).toThrow(
        InvariantViolation,
      );
      expect(definedProblems().map(({ code }) => code)).not.toContain(`bad.${status}`);
    },
  );

  it.each([400, 599])('the status %p is accepted', (status) => {
    expect(defineProblem({ code: `edge.${status}`, status, title: 'Edge' })('x').status).toBe(status);
  });

  it('all definitions are listed, ordered by code', () => {
    defineProblem({ code: 'activity.melted', status: 409, title: 'Activity melted' });
    expect(definedProblems().map(({ code }) => code)).toEqual([
      'activity.melted',
      'edge.400',
      'edge.599',
      'packet.lost',
    ]);
  });
});
