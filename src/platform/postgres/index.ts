export { APP_ROLE, excessGrants } from './app-role';
export { agreeOnSetting, changeSetting } from './agreed-setting';
export { given, ID, MINOR } from './rows';
export { copyRows } from './copy-rows';
export { dataSourceOptions, poolOf } from './data-source';
export { daySum } from './day-sums';
export { durabilityFaults, isReadOnly, transactionNumbersLeft, writeToDisk } from './durability';
export { historyMark } from './history';
export { installationId } from './installation';
export { runMigrations } from './migrate';
export type { Migration, MigrationClass } from './migration';
export { isToCome, isWithin, presentByBoth } from './moments';
export {
  isDataFault,
  isDiskFault,
  isHeldUp,
  isOutage,
  isUniqueViolation,
  retryDeadlock,
} from './postgres.error';
export { OpenConnections } from './open-connections';
export { pagesOf } from './pages-of';
export type { People } from './people';
export { PostgresModule } from './postgres.module';
export type { Queries } from './queries';
export { composeSchema, type Schema, SCHEMA, schemaDifference, type SchemaPart } from './schema';
export { withSessionLock } from './session-lock';
export { PATIENCE, type Patience, ShortLocks } from './short-locks';
export { functionFaults, functionFile } from './stored-functions';
export { knowsTimeZone } from './time-zones';
export { InjectUrgentPool, URGENT_POOL, urgentConnections } from './urgent-pool';
export { writersOf } from './writers';
