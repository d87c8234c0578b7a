import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config';
import { dataSourceOptions } from './data-source';
import { durabilityFaults } from './durability';
import { schemaDifference } from './migrate';

/** One pool per process. Refuses to boot on a schema that is not ours and on a server that may forget commits. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({
        ...dataSourceOptions({ databaseUrl: config.DATABASE_URL, poolMax: config.DATABASE_POOL_MAX }),
        retryAttempts: 0,
        autoLoadEntities: true,
      }),
    }),
  ],
})
export class PostgresModule implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    const { missing, unknown } = await schemaDifference(this.dataSource);
    if (missing.length > 0)
      throw new Error(`The database lacks ${missing.join(', ')}: run \`npm run migrate\` first.`);
    if (unknown.length > 0)
      throw new Error(`The database is newer than this program: it has ${unknown.join(', ')}.`);
    if (this.config.NODE_ENV === 'test') return;
    const faults = await durabilityFaults(this.dataSource);
    if (faults.length > 0) throw new Error(`${faults.join(' ')} Money needs durable commits.`);
  }
}
