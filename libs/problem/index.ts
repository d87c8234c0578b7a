export { definedProblems, defineProblem, Problem } from './problem';
export type { FieldFault, ProblemDefinition, ProblemExtra, ProblemFactory } from './problem';
