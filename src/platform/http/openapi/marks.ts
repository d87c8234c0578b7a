/**
 * What decorators leave on an operation for the description of the document, which turns it into answers and takes it off
 * again. OpenAPI extensions are the one thing that travels from a decorator to the finished document.
 */
export const PROBLEM_MARK = 'x-problem-';
export const PROBE_MARK = 'x-probe';

/** The roles to which an operation is open. It stays in the document, for tools. */
export const ROLES_MARK = 'x-roles';
