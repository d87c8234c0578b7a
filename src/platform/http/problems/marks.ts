/**
 * Marks that decorators leave on an operation: only OpenAPI extensions travel from a decorator to
 * the finished document, which describes them as answers and removes them.
 */
export const PROBLEM_MARK = 'x-problem-';
export const PROBE_MARK = 'x-probe';
export const PLACE_MARK = 'x-place-';
export const FIELD_PLACE_MARK = 'x-place';

/** This mark stays in the document, for tools. */
export const ROLES_MARK = 'x-roles';

/** This mark stays as well: how much a request counts for the limit of its user. */
export const COUNTS_AS_MARK = 'x-counts-as';
