import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { Servers } from '../../../libs/redis-scripts';
import { type AppConfig, ConfigError, ConfigModule, loadConfig, lookAlikes } from '../../platform/config';
import { dataSourceOptions, poolOf, PostgresModule } from '../../platform/postgres';
import { RedisModule } from '../../platform/redis';
import { schema } from '../../schema';
import { issuerFact, keySetFact } from './identity-provider';
import { collectorFact } from './trace-collector';

/** The finding about one engine or group of settings. */
export interface Finding {
  readonly name: string;
  /** What to change; undefined if nothing. */
  readonly fault?: string;
  /** The finding, if nothing has to be changed. */
  readonly fact?: string;
}

/** Settings that say where an engine is. The others may be wrong while it is tried. */
const ENGINES = /^(NODE_ENV$|DATABASE_|REDIS_)/;

/** Node does not know any of them by itself. */
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];

const DIRECTLY = 'key sets, webhooks, payouts and spans are sent directly, so let this host reach them.';

const FILLER = { JWT_SECRET: 'not-used-to-verify-anything-at-all' };

/** Each engine is tried even if another engine or a setting is at fault. */
export async function* examine(env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const config = configOf(env);
  yield* Array.isArray(config) ? config : [settingsFact(env)];
  const engines = configOf({ ...only(env, ENGINES), ...FILLER });
  if (Array.isArray(engines)) return;
  yield await tried('Postgres', () => postgresFact(engines));
  if (env.MIGRATION_DATABASE_URL) yield await tried('owner', () => ownerFact(env.MIGRATION_DATABASE_URL!));
  yield await tried('Redis', () => redisFact(engines));
  const proxies = PROXIES.filter((name) => env[name]);
  if (proxies.length > 0) yield { name: 'proxy', fact: `${proxies.join(', ')} has no effect: ${DIRECTLY}` };
  if (Array.isArray(config)) return;
  if (config.JWT_JWKS_URL !== undefined) {
    yield await tried('key set', () => keySetFact(config));
    yield await tried('issuer', () => issuerFact(config.JWT_ISSUER!));
  }
  if (config.OIDC_ISSUER !== undefined && config.OIDC_ISSUER !== config.JWT_ISSUER)
    yield await tried('sign-in', () => issuerFact(config.OIDC_ISSUER!));
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined)
    yield await tried('collector', () => collectorFact(config.OTEL_EXPORTER_OTLP_ENDPOINT!));
}

function configOf(env: NodeJS.ProcessEnv): AppConfig | Finding[] {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => ({ name: 'settings', fault: `${fault}.` }));
  }
}

function settingsFact(env: NodeJS.ProcessEnv): Finding {
  const slips = lookAlikes(env);
  return slips.length > 0
    ? { name: 'settings', fault: slips.join(' ') }
    : { name: 'settings', fact: 'each has a valid value.' };
}

const only = (env: NodeJS.ProcessEnv, names: RegExp): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));

async function tried(name: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { name, fact: await work() };
  } catch (error) {
    return { name, fault: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Starts the parts of an engine that the programs start, which refuse anything that would lose money later.
 */
async function within<T>(
  config: AppConfig,
  module: DynamicModule,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const root = { module: Examined, imports: [ConfigModule.forRoot(config), module] };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

class Examined {}

function postgresFact(config: AppConfig): Promise<string> {
  return within(config, PostgresModule.forRoot(schema), async (app) => {
    const [row] = await app
      .get(DataSource)
      .query<{ version: string; role: string; name: string }[]>(
        `select current_setting('server_version') as version, current_user as role, current_database() as name`,
      );
    const { version, role, name } = row!;
    return `Postgres ${version}, database ${name} as ${role}; its schema is that of this program.`;
  });
}

async function ownerFact(databaseUrl: string): Promise<string> {
  const pool = await poolOf(dataSourceOptions({ databaseUrl, poolMax: 1, patient: true }));
  const dataSource = await pool.initialize();
  try {
    const [row] = await dataSource.query<{ role: string; mayCreate: boolean }[]>(
      `select quote_ident(current_user) as role, has_schema_privilege('public', 'create') as "mayCreate"`,
    );
    const { role, mayCreate } = row!;
    if (mayCreate) return `MIGRATION_DATABASE_URL leads to the role ${role}, which may migrate.`;
    throw new Error(
      `Role ${role} of MIGRATION_DATABASE_URL may not create tables: run \`grant create on schema public to ${role}\` as the owner of the database.`,
    );
  } finally {
    await dataSource.destroy();
  }
}

function redisFact(config: AppConfig): Promise<string> {
  return within(config, { module: RedisModule }, async (app) => {
    const servers = app.get(Servers);
    const facts = await servers.factsOfAll();
    return `${facts.length === 1 ? 'one server' : `${facts.length} servers`}, and no keys are removed when memory is full.`;
  });
}
