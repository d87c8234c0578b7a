export { dataSourceOptions } from './data-source';
export { runMigrations, schemaDifference, type SchemaDifference } from './migrate';
export { isPassing, violates } from './postgres.error';
export { PostgresModule } from './postgres.module';
