/**
 * Marks that decorators leave on an operation. The description of the document turns them into
 * answers and removes them. OpenAPI extensions are the only thing that travels from a decorator to
 * the finished document.
 */
export const PROBLEM_MARK = 'x-problem-';
export const PROBE_MARK = 'x-probe';

/** The roles that an operation is open to. This mark stays in the document, for tools. */
export const ROLES_MARK = 'x-roles';

/** How much a request counts for the limit of its user. This mark stays in the document as well. */
export const COUNTS_AS_MARK = 'x-counts-as';
