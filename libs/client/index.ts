export { ApiClient, newKey } from './api-client';
export { ApiProblem, type FieldFault, type ProblemCode, UnexpectedAnswer } from './api-problem';
export { fetchPatiently, Unreachable } from './patient-fetch';
export type { Answer, PathOf, Schema, Sent, StreamPath } from './operations';
