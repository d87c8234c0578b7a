import { join, resolve } from 'node:path';
import { readEnvironment } from '../../../libs/environment';
import { type Engine, freePort, portFault, startPostgres, startRedis } from '../engines';
import { asRedisAppUser, redisAppUser } from '../../platform/redis';
import { asAppRole } from './app-role';
import { localClaimLogKey, localJwtSecret, ONLY_BY_SECRET } from './secrets';
import { startNodeProgram, whenReady } from './node-program';
import { type Addresses, DataDirLock } from './running';

/** No secret: the private Redis admits every client of this host as its default user. */
const REDIS_PASSWORD = 'local';

const MIGRATE = join('commands', 'migrate.js');

export interface LocalSystemOptions {
  /** Binaries and the JWT secret; any number of systems may share it. */
  readonly localDir: string;
  /** Data and logs, for one system at a time; `localDir` unless given. */
  readonly dataDir?: string;
  /** Free ports unless given. */
  readonly port?: number;
  readonly workerPort?: number;
  /** The admin pages are on `port` unless given. */
  readonly adminPort?: number;
  /** Private engines unless given. */
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  /** Kept in `localDir` unless given. */
  readonly jwtSecret?: string;
  /** Variables for the API and the worker that override those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly report?: (line: string) => void;
}

export interface LocalSystem extends Addresses {
  /** Swagger UI and metrics. In production they are served only on a port of their own. */
  readonly adminUrl: string;
  readonly jwtSecret: string;
  readonly logDir: string;
  /** One line as soon as any part ends, whether it was asked to or not. */
  readonly ended: Promise<string>;
  /** Parts that may be broken on purpose; engines when they are private. */
  readonly parts: Readonly<Partial<Record<PartName, RestartablePart>>>;
  /** Migrates, and starts API and worker again from the current `dist`. */
  renew(): Promise<void>;
  /** Drains API and worker, then stops the engines, within ten seconds. */
  stop(): Promise<void>;
}

export type PartName = 'worker' | 'redis' | 'postgres';

/** It starts again on the same port and data. */
export interface RestartablePart {
  readonly pid: number;
  restart(): Promise<void>;
}

interface Part {
  readonly pid: number;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/** Every started part is in one of the lists, and will be stopped. */
interface Startup {
  readonly localDir: string;
  readonly dataDir: string;
  readonly logDir: string;
  readonly report: (line: string) => void;
  readonly programs: Part[];
  readonly engines: Part[];
}

/**
 * Starts engines, schema, API and worker. When a step fails, the parts before are stopped again.
 * @throws Error whose message is one line for the operator
 */
export async function startLocalSystem(options: LocalSystemOptions): Promise<LocalSystem> {
  const localDir = resolve(options.localDir);
  const dataDir = resolve(options.dataDir ?? localDir);
  const { report = () => undefined } = options;
  const startup = { localDir, dataDir, logDir: join(dataDir, 'logs'), report, programs: [], engines: [] };
  const lock = await DataDirLock.take(dataDir);
  const stop = async () => {
    await stopAll(startup);
    lock.release();
  };
  try {
    const system = await startParts(startup, options);
    lock.announce(system.addresses);
    return { ...system.addresses, ...system, logDir: startup.logDir, ended: firstToEnd(startup), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(startup: Startup, options: LocalSystemOptions) {
  const port = await usablePort('PORT', options.port);
  const workerPort = await usablePort('WORKER_PORT', options.workerPort);
  const adminPort =
    options.adminPort === undefined ? undefined : await usablePort('ADMIN_PORT', options.adminPort);
  if (new Set([port, workerPort, adminPort]).size < 3)
    throw new Error('PORT, WORKER_PORT and ADMIN_PORT must differ.');
  const jwtSecret = options.jwtSecret ?? localJwtSecret(startup.localDir);
  const { engines, ...urls } = await startEngines(startup, options);
  const { databaseUrl, ownerDatabaseUrl, redisUrl } = urls;
  const set = { ...readEnvironment(), ...options.env };
  const ofProvider = Object.keys(ONLY_BY_SECRET).filter((name) => set[name]);
  if (ofProvider.length > 0)
    startup.report(`Left out: ${ofProvider.join(', ')}. This system signs its own tokens.`);
  const env = {
    ...set,
    ...ONLY_BY_SECRET,
    CLAIM_LOG_KEY: set.CLAIM_LOG_KEY || localClaimLogKey(startup.localDir),
    ADMIN_PORT: String(adminPort ?? ''),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    JWT_SECRET: jwtSecret,
    PORT: String(port),
    WORKER_PORT: String(workerPort),
  };
  const migrated = () =>
    migrate(startup, ownerDatabaseUrl ? { ...env, MIGRATION_DATABASE_URL: ownerDatabaseUrl } : env);
  await migrated();
  const host = reachableHost(set.HOST);
  const apiUrl = `http://${host}:${port}`;
  const workerUrl = `http://${host}:${workerPort}`;
  startup.report('Starting API and worker…');
  const [worker, api] = await Promise.all([
    restartable(startup.programs, () => startServer(startup, 'worker', 'worker.js', workerUrl, env)),
    restartable(startup.programs, () => startServer(startup, 'api', 'main.js', apiUrl, env)),
  ]);
  const adminUrl = adminPort === undefined ? apiUrl : `http://${host}:${adminPort}`;
  const addresses = { apiUrl, workerUrl, ...urls };
  const renew = async () => {
    await stopPrograms(startup);
    await migrated();
    await Promise.all([worker.restart(), api.restart()]);
  };
  return { addresses, adminUrl, jwtSecret, renew, parts: { worker, ...engines } };
}

/** A server that listens on every address is reached on loopback. */
function reachableHost(host = ''): string {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

async function usablePort(variable: string, wanted = 0): Promise<number> {
  if (wanted === 0) return freePort();
  const fault = await portFault(wanted);
  if (fault === undefined) return wanted;
  throw new Error(`Port ${wanted} ${fault}: set ${variable} to another one.`);
}

/** Starts them one by one: if one fails, no other start is left running. */
async function startEngines(startup: Startup, { databaseUrl, redisUrl }: LocalSystemOptions) {
  const postgres = databaseUrl === undefined ? await privatePostgres(startup) : undefined;
  const ownerDatabaseUrl = postgres?.url;
  const redis = redisUrl === undefined ? await privateRedis(startup) : undefined;
  return {
    ownerDatabaseUrl,
    databaseUrl: databaseUrl ?? (await asAppRole(ownerDatabaseUrl!)),
    redisUrl: redisUrl ?? asRedisAppUser(redis!.url, REDIS_PASSWORD),
    ownerRedisUrl: redis?.url,
    engines: { postgres: postgres?.part, redis: redis?.part },
  };
}

function privatePostgres(startup: Startup) {
  const { localDir, dataDir, report } = startup;
  return privateEngine(startup, () =>
    startPostgres({ localDir, report, dataDir: join(dataDir, 'postgres'), alone: true }),
  );
}

/** Redis restarts on the same port, because its clients know no other. */
function privateRedis(startup: Startup) {
  const { localDir, dataDir, report } = startup;
  const options = {
    localDir,
    report,
    dataDir: join(dataDir, 'redis'),
    users: [redisAppUser(REDIS_PASSWORD)],
  };
  let port: number | undefined;
  return privateEngine(startup, async () => {
    const engine = await startRedis({ ...options, port });
    port = Number(new URL(engine.url).port);
    return engine;
  });
}

async function privateEngine({ engines, report }: Startup, start: () => Promise<Engine>) {
  let url = '';
  const part = await restartable(engines, async () => {
    const engine = await start();
    engines.push(engine);
    report(`${engine.engine} at ${engine.url}, data in ${engine.dataDir}`);
    url = engine.url;
    return engine;
  });
  return { url, part };
}

/** @param start also adds the part to the list; the previous part has ended by then */
async function restartable(list: Part[], start: () => Promise<Part>): Promise<RestartablePart> {
  let current = await start();
  return {
    get pid() {
      return current.pid;
    },
    restart: async () => {
      await current.ended;
      if (list.includes(current)) list.splice(list.indexOf(current), 1);
      current = await start();
    },
  };
}

async function migrate({ logDir, report, programs }: Startup, env: NodeJS.ProcessEnv): Promise<void> {
  report('Migrating…');
  const logFile = join(logDir, 'migrate.log');
  const program = await startNodeProgram({ name: 'migrate', script: MIGRATE, env, logFile });
  programs.push(program);
  await program.ended;
  programs.pop();
  if (program.exitCode !== 0) throw new Error(`The migration failed: ${program.lastFault}`);
}

async function startServer(
  { logDir, programs }: Startup,
  name: string,
  script: string,
  url: string,
  env: NodeJS.ProcessEnv,
): Promise<Part> {
  const program = await startNodeProgram({ name, script, env, logFile: join(logDir, `${name}.log`) });
  programs.push(program);
  await whenReady(program, url);
  return program;
}

function firstToEnd({ programs, engines }: Startup): Promise<string> {
  return Promise.race([...programs, ...engines].map((part) => part.ended));
}

async function stopPrograms({ programs }: Startup): Promise<void> {
  await Promise.all(programs.map((program) => program.stop()));
}

async function stopAll(startup: Startup): Promise<void> {
  await stopPrograms(startup);
  await Promise.all(startup.engines.map((engine) => engine.stop()));
}
