/**
 * The program itself is wrong: a bug or corrupted data, never a caller's mistake. Do not catch it
 * to go on.
 */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * States what must hold here, and throws when it does not. It stays switched on in production. Pass
 * a function if the message is costly to build: it is called only on a violation.
 *
 * @throws InvariantViolation
 */
export function invariant(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new InvariantViolation(typeof message === 'string' ? message : message());
}
