export { dataSourceOptions } from './data-source';
export { runMigrations, schemaDifference, type SchemaDifference } from './migrate';
export { isDataFault, isOutage } from './postgres.error';
export { PostgresModule } from './postgres.module';
