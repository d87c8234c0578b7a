import { type DynamicModule, Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config';
import { type ConnectionSettings, dataSourceOptions, poolOf } from './data-source';
import { durabilityFaults } from './durability';
import { refuseNewer, type Schema, SCHEMA, schemaDifference } from './schema';

/**
 * One pool per process. Refuses to boot on a schema that does not serve this program, and on a
 * server that may lose commits.
 */
@Global()
@Module({})
export class PostgresModule implements OnModuleInit {
  static forRoot(schema: Schema, { patient }: Pick<ConnectionSettings, 'patient'> = {}): DynamicModule {
    const pool = TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: ({ DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: poolMax }: AppConfig) => ({
        ...dataSourceOptions({ databaseUrl, poolMax, patient }),
        retryAttempts: 0,
      }),
      dataSourceFactory: (options) => poolOf(options!),
    });
    const providers = [{ provide: SCHEMA, useValue: schema }];
    return { module: PostgresModule, imports: [pool], providers, exports: [SCHEMA] };
  }

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(SCHEMA) private readonly schema: Schema,
    private readonly config: AppConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    const difference = await schemaDifference(this.dataSource, this.schema);
    refuseNewer(difference);
    if (difference.missing.length > 0)
      throw new Error(`The database lacks ${difference.missing.join(', ')}: run \`npm run migrate\` first.`);
    if (this.config.NODE_ENV === 'test') return;
    const faults = await durabilityFaults(this.dataSource);
    if (faults.length > 0) throw new Error(`${faults.join(' ')} Money needs durable commits.`);
  }
}
