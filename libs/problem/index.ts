export {
  type Fault,
  type FieldFault,
  type Form,
  FORMS,
  type Rule,
  RULE_NAMES,
  RULES,
  type Unit,
  UNITS,
} from './fault';
export { must } from './must';
export { definedProblems, defineProblem, Problem } from './problem';
export type { ProblemDefinition, ProblemFactory } from './problem';
