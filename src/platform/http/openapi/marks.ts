/**
 * What decorators leave on an operation for `describeProblems`, which turns it into answers and takes it off again.
 * OpenAPI extensions are the one thing that travels from a decorator to the finished document.
 */
export const PROBLEM_MARK = 'x-problem-';
export const PROBE_MARK = 'x-probe';
