/** The program itself is wrong: a bug or corrupted data, never a caller's mistake. Nobody should catch it to go on. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * States what must hold here, and stops when it does not. Stays switched on in production.
 * Pass a function when the message costs something to build; it is called only on a violation.
 *
 * @throws InvariantViolation
 */
export function invariant(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new InvariantViolation(typeof message === 'string' ? message : message());
}
