import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freePort } from '../../src/dev/engines';
import { whenReady } from '../../src/dev/local/node-program';
import type { Container, Containers } from './container';
import type { EngineUrls } from './engines';
import { playRain } from './rain';
import type { Steps } from './steps';

type Environment = Readonly<Record<string, string>>;

/** Runs a whole system from the image alone. */
export async function runSystem(steps: Steps, containers: Containers, engines: EngineUrls): Promise<void> {
  const env = await environment(engines);
  const owner = { ...env, MIGRATION_DATABASE_URL: engines.ownerDatabaseUrl };
  await steps.run('migrated by the image', () => succeed(containers, ['migrate'], owner));
  await withPrograms(steps, containers, env, async (apiUrl) => {
    const operatorToken = await succeed(
      containers,
      ['token', '--sub', 'operator', '--role', 'operator'],
      env,
    );
    await steps.run('a rain over HTTP', () =>
      playRain(steps, { url: apiUrl, secret: env.JWT_SECRET!, operatorToken: operatorToken.trim() }),
    );
    await steps.run('verified by the image', () => succeed(containers, ['verify', '--all'], env));
  });
}

async function environment({ databaseUrl, redisUrl }: EngineUrls): Promise<Environment> {
  return {
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    JWT_SECRET: randomBytes(48).toString('base64url'),
  };
}

async function withPrograms(
  steps: Steps,
  containers: Containers,
  env: Environment,
  work: (apiUrl: string) => Promise<void>,
): Promise<void> {
  const [apiUrl, workerUrl] = [env.PORT, env.WORKER_PORT].map((port) => `http://127.0.0.1:${port}`);
  // The image's own command is the API.
  const api = await containers.start(containers.config.Cmd, env);
  const worker = await containers.start(['worker'], env);
  try {
    await steps.run('API and worker are ready', () =>
      Promise.all([whenReady(api.program, apiUrl!), whenReady(worker.program, workerUrl!)]),
    );
    await checkPrograms(steps, containers, env, [apiUrl!, workerUrl!]);
    await work(apiUrl!);
    await terminate(steps, [api, worker]);
    steps.check('the health check fails where neither runs', await healthOf(containers, env), 1);
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
  }
}

async function checkPrograms(
  steps: Steps,
  containers: Containers,
  env: Environment,
  urls: readonly string[],
): Promise<void> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const url of urls) {
    const live = await (await fetch(`${url}/health/live`)).json();
    steps.check('it says its version', live, { status: 'live', version });
  }
  steps.check('the health check finds them alive', await healthOf(containers, env), 0);
  steps.check('the health check of a worker alone', await healthOf(containers, { ...env, PORT: '1' }), 0);
}

/** Runs the health check of the image as an engine would. */
async function healthOf(containers: Containers, env: Environment): Promise<number | null> {
  const [, ...command] = containers.config.Healthcheck.Test;
  return (await (await containers.execute(command, env)).end()).exitCode;
}

async function terminate(steps: Steps, programs: readonly Container[]): Promise<void> {
  const ends = await Promise.all(programs.map((program) => program.terminate()));
  const exitCodes = ends.map(({ exitCode }) => exitCode);
  steps.check('SIGTERM ends API and worker with success', exitCodes, [0, 0]);
}

async function succeed(containers: Containers, words: readonly string[], env: Environment): Promise<string> {
  const { exitCode, output } = await containers.run(words, env);
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}:\n${output}`);
  return output;
}
