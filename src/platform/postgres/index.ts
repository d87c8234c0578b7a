export { APP_ROLE } from './app-role';
export { agreeOnSetting } from './agreed-setting';
export { copyRows } from './copy-rows';
export { dataSourceOptions } from './data-source';
export { runMigrations, schemaDifference, type SchemaDifference } from './migrate';
export { isDataFault, isOutage, isUniqueViolation, retryDeadlock } from './postgres.error';
export { PostgresModule } from './postgres.module';
