/** A bug or corrupted data, never a caller's mistake. Do not catch it to go on. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * States what must hold here; also in production. Pass a function if the message is costly.
 * @throws InvariantViolation
 */
export function invariant(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new InvariantViolation(typeof message === 'string' ? message : message());
}
