/** A bug or corrupted data, never a caller's mistake. Do not catch it to continue. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * Throws unless the condition holds, in production too. Pass a function if the message is costly.
 * @throws InvariantViolation
 */
export function invariant(condition: unknown, message: string | (() => string)): asserts condition {
  if (condition) return;
  throw new InvariantViolation(typeof message === 'string' ? message : message());
}
