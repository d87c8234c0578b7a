import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config';
import { type ConnectionSettings, dataSourceOptions } from './data-source';
import { durabilityFaults } from './durability';
import { schemaDifference } from './migrate';

/** One pool per process. Refuses to boot on a schema that is not ours and on a server that may forget commits. */
@Global()
@Module({})
export class PostgresModule implements OnModuleInit {
  static forRoot({ patient }: Pick<ConnectionSettings, 'patient'> = {}): DynamicModule {
    const pool = TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: ({ DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: poolMax }: AppConfig) => ({
        ...dataSourceOptions({ databaseUrl, poolMax, patient }),
        retryAttempts: 0,
      }),
    });
    return { module: PostgresModule, imports: [pool] };
  }

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
