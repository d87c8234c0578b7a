import { invariant, InvariantViolation } from '.';

describe('invariant', () => {
  it('a true condition passes and narrows the type', () => {
    const text = 'abc' as string | undefined;
    invariant(text, 'text is there');
    expect(text.length).toBe(3);
  });

  it.each([false, 0, '', null, undefined])(
    'the condition %p throws an error with the message',
    (condition) => {
      expect(() => invariant(condition, 'books disagree')).toThrow(new InvariantViolation('books disagree'));
    },
  );

  it('a violation has its own type, so that a log can tell a bug from a refusal', () => {
    expect(() => invariant(false, 'x')).toThrow(InvariantViolation);
    expect(new InvariantViolation('x').name).toBe('InvariantViolation');
  });

  it('a lazy message is built only on a violation', () => {
    const message = jest.fn(() => 'escrow is short by 3');
    invariant(true, message);
    expect(message).not.toHaveBeenCalled();
    expect(() => invariant(false, message)).toThrow('escrow is short by 3');
  });
});
