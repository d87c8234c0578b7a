export { invariant, InvariantViolation } from './invariant';
