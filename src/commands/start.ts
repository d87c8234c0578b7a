import { ApiClient, type Schema } from '../../libs/client';
import { readEnvironment } from '../platform/config';
import { openDemo, openDemoActivity } from './local/demo-activity';
import { redisUrlOf } from './local/environment';
import { signToken } from './local/sign-token';
import { type LocalSystem, startLocalSystem } from './local/system';

const DEMO = { sponsorId: 'demo-sponsor', totalAmount: '1000.00', packetCount: 200 };
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function main(): Promise<void> {
  const env = readEnvironment();
  const stopped = stopRequest();
  const system = await Promise.race([startSystem(env), stopped]);
  // Interrupted while starting: nothing is under load yet, so the watchdogs may end what has been started.
  if (system === undefined) process.exit(130);
  const failure = await serve(system, env, stopped).catch(messageOf);
  say(failure === undefined ? 'Stopping…' : `${failure} (logs in ${system.logDir})`);
  await system.stop();
  process.exit(failure === undefined ? 0 : 1);
}

function startSystem(env: NodeJS.ProcessEnv): Promise<LocalSystem> {
  return startLocalSystem({
    localDir: env.LOCAL_DIR || '.local',
    port: portFrom(env, 'PORT', 3000),
    workerPort: portFrom(env, 'WORKER_PORT', 0),
    adminPort: env.ADMIN_PORT ? portFrom(env, 'ADMIN_PORT', 0) : undefined,
    databaseUrl: env.DATABASE_URL || undefined,
    redisUrl: redisUrlOf(env),
    jwtSecret: env.JWT_SECRET || undefined,
    report: say,
  });
}

/** Stays until somebody asks to stop, or until something breaks: then returns or throws one line that says what. */
async function serve(
  system: LocalSystem,
  env: NodeJS.ProcessEnv,
  stopped: Promise<undefined>,
): Promise<string | undefined> {
  const settings = { secret: system.jwtSecret, audience: env.JWT_AUDIENCE, issuer: env.JWT_ISSUER };
  const operatorToken = signToken(settings, { sub: 'demo-operator', role: 'operator' });
  const userToken = signToken(settings, { sub: 'demo-user', role: 'user' });
  const operator = new ApiClient(system.apiUrl, operatorToken);
  const activity = (await openDemo(operator, DEMO)) ?? (await openDemoActivity(operator, DEMO));
  say(welcome(system, activity, { swaggerUi: swaggerUiOf(system, env), operatorToken, userToken }));
  return Promise.race([stopped, system.ended]);
}

function swaggerUiOf({ adminUrl }: LocalSystem, env: NodeJS.ProcessEnv): string {
  const isNowhere = env.NODE_ENV === 'production' && !env.ADMIN_PORT;
  return isNowhere ? 'nowhere in production: set ADMIN_PORT' : `${adminUrl}/docs`;
}

interface Welcome {
  readonly swaggerUi: string;
  readonly operatorToken: string;
  readonly userToken: string;
}

function welcome(
  system: LocalSystem,
  activity: Schema<'ActivityDto'>,
  { swaggerUi, operatorToken, userToken }: Welcome,
): string {
  return `
Ready. Press Ctrl-C to stop everything.

Swagger UI      ${swaggerUi}
Operator token  ${operatorToken}
User token      ${userToken}
Logs            ${system.logDir}

Grab one of the ${activity.packetCount} packets of ${activity.totalAmount} in demo activity ${activity.id}:

curl -X POST ${system.apiUrl}/v1/activities/${activity.id}/grabs -H 'Authorization: Bearer ${userToken}'
`;
}

/**
 * Resolves at the first Ctrl-C, SIGTERM, closed terminal or death of the process that runs this command; later ones
 * change nothing.
 */
function stopRequest(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(undefined));
    process.on('disconnect', () => resolve(undefined));
  });
}

function portFrom(env: NodeJS.ProcessEnv, variable: string, fallback: number): number {
  const text = env[variable] || String(fallback);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`${variable} must be a whole number from 0 to 65535.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
