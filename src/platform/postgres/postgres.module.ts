import { type DynamicModule, Global, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config';
import { APP_ROLE } from './app-role';
import { dataSourceOptions, poolOf } from './data-source';
import { BY_PLATFORM, collationFault, durabilityFaults } from './durability';
import { OpenConnections } from './open-connections';
import { refuseUnknown, type Schema, SCHEMA, schemaDifference } from './schema';
import { URGENT, URGENT_POOL, urgentConnections } from './urgent-pool';

const INSUFFICIENT_PRIVILEGE = '42501';

interface PoolSettings {
  readonly patient?: boolean;
  /** External requests arrive here, so urgent statements have their own connections. */
  readonly serving?: boolean;
}

/**
 * One pool, and a second pool for urgent statements if requests could hold all connections. Refuses to boot
 * on a schema that does not serve this program, and on a server that may lose commits or miss rows.
 */
@Global()
@Module({})
export class PostgresModule implements OnModuleInit {
  static forRoot(schema: Schema, { patient, serving = false }: PoolSettings = {}): DynamicModule {
    const open = new OpenConnections();
    const pool = (sizeOf: (max: number) => number, name?: string) =>
      TypeOrmModule.forRootAsync({
        name,
        inject: [AppConfig],
        useFactory: ({ DATABASE_URL: databaseUrl, DATABASE_POOL_MAX: max }: AppConfig) => ({
          ...dataSourceOptions({
            databaseUrl,
            poolMax: sizeOf(max),
            patient,
            standing: name === URGENT,
            open,
          }),
          retryAttempts: 0,
        }),
        dataSourceFactory: (options) => poolOf(options!),
      });
    const pools = serving
      ? [pool((max) => max - urgentConnections(max)), pool(urgentConnections, URGENT)]
      : [pool((max) => max)];
    const same = serving ? [] : [{ provide: URGENT_POOL, useExisting: DataSource }];
    return {
      module: PostgresModule,
      imports: pools,
      providers: [
        { provide: SCHEMA, useValue: schema },
        { provide: OpenConnections, useValue: open },
        ...same,
      ],
      exports: [SCHEMA, OpenConnections, ...same.map(({ provide }) => provide)],
    };
  }

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(SCHEMA) private readonly schema: Schema,
    private readonly config: AppConfig,
  ) {}

  private lacksRights(error: unknown): Error | undefined {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) return undefined;
    const role = decodeURIComponent(new URL(this.config.DATABASE_URL).username);
    const command =
      role === APP_ROLE ? '`npm run migrate`' : `\`npm run migrate\` with DATABASE_ROLE=${role}`;
    return new Error(
      `Role ${role} may not read the tables: run ${command}, which grants what programs need.`,
      { cause: error },
    );
  }

  async onModuleInit(): Promise<void> {
    const difference = await schemaDifference(this.dataSource, this.schema).catch((error: unknown) => {
      throw this.lacksRights(error) ?? error;
    });
    refuseUnknown(difference, this.schema);
    if (difference.missing.length > 0)
      throw new Error(`The database lacks ${difference.missing.join(', ')}: run \`npm run migrate\` first.`);
    const fault = await collationFault(this.dataSource);
    if (fault !== undefined) throw new Error(fault);
    if (this.config.NODE_ENV === 'test') return;
    const { DATABASE_FSYNC_BY_PLATFORM: isKeptByPlatform } = this.config;
    const faults = await durabilityFaults(this.dataSource, isKeptByPlatform);
    if (faults.length === 0) return;
    const isOfPlatform = BY_PLATFORM.some((name) => faults.join().includes(name));
    throw new Error(
      `${faults.join(' ')} Money needs durable commits, and transactions that are read committed.` +
        (isOfPlatform
          ? ' If the platform keeps commits below Postgres, set DATABASE_FSYNC_BY_PLATFORM=true.'
          : ''),
    );
  }
}
