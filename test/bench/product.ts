import { join } from 'node:path';
import { freePort } from '../../src/dev/engines';
import { startNodeProgram, whenReady } from '../../src/dev/local/node-program';
import type { Stage } from './stage';

/** The secret of the benches' own processes, which only they can reach. */
export const JWT_SECRET = 'of-the-benches-alone-0123456789abcdefghij';

const SCRIPTS = {
  api: 'main.js',
  worker: 'worker.js',
  'no-op': join('..', 'test', 'bench', 'noop-server.js'),
};

export interface Engines {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** Starts a compiled program on engines of the bench. It ends with the bench, or earlier. */
export async function startProduct(
  stage: Stage,
  name: keyof typeof SCRIPTS,
  { databaseUrl, redisUrl }: Engines,
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const settings = {
    ...process.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    JWT_SECRET,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    WORKER_PORT: String(port),
    ...env,
  };
  const logFile = join(stage.newDir('logs'), `${name}.log`);
  const program = await startNodeProgram({ name, script: SCRIPTS[name], env: settings, logFile });
  stage.atEnd(() => program.stop());
  const url = `http://127.0.0.1:${port}`;
  await whenReady(program, url);
  const adminUrl = name === 'api' ? `http://127.0.0.1:${adminPort}` : url;
  return { pid: program.pid, port, url, adminUrl, stop: () => program.stop() };
}
