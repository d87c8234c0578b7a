export { CreditOutlet, NO_SQL } from './credit-outlet';
export type { CreditState, Outlet, OutletSql, PlannedCredits } from './outlet';
export {
  ApiOutlet,
  defineOutlet,
  describeOutlet,
  type OutletDefinition,
  OutletField,
  outletProblems,
} from './outlet-definition';
export { OutletModule } from './outlet.module';
