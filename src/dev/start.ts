import { parseArgs } from 'node:util';
import { ApiClient, type Schema } from '../../libs/client';
import { readEnvironment } from '../../libs/environment';
import { openDemo, openDemoActivity } from './local/demo-activity';
import { redisUrlOf } from './local/environment';
import { signToken } from '../platform/http/auth/sign-token';
import { stopRequest } from './local/stop-request';
import { type LocalSystem, startLocalSystem } from './local/system';
import { rebuildOnChange } from './rebuild';
import { openSandbox } from './sandbox/open-sandbox';

const DEMO = { sponsorId: 'demo-sponsor', totalAmount: '1000.00', packetCount: 200 };

/** Guests play, and the worker calls the sandbox. */
const ONE_MACHINE = { RAIN_GUESTS: 'true', WEBHOOK_PRIVATE_ADDRESSES: 'true' };

/** `--watch` is `npm run start:dev`, which follows changes of the sources. */
async function main(): Promise<void> {
  const env = readEnvironment();
  const { watch } = parseArgs({ options: { watch: { type: 'boolean', default: false } } }).values;
  const stopped = stopRequest();
  const system = await Promise.race([startSystem(env), stopped]);
  // Nothing is under load yet, so the watchdogs may end what has been started.
  if (system === undefined) process.exit(130);
  const failure = await serve(system, env, { stopped, watch }).catch(messageOf);
  say(failure === undefined ? 'Stopping…' : `${failure} (logs in ${system.logDir})`);
  await system.stop();
  process.exit(failure === undefined ? 0 : 1);
}

const isProduction = ({ NODE_ENV }: NodeJS.ProcessEnv): boolean => NODE_ENV === 'production';

function startSystem(env: NodeJS.ProcessEnv): Promise<LocalSystem> {
  return startLocalSystem({
    localDir: env.LOCAL_DIR || '.local',
    port: portFrom(env, 'PORT', 3000),
    workerPort: portFrom(env, 'WORKER_PORT', 0),
    adminPort: env.ADMIN_PORT ? portFrom(env, 'ADMIN_PORT', 0) : undefined,
    databaseUrl: env.DATABASE_URL || undefined,
    redisUrl: redisUrlOf(env),
    jwtSecret: env.JWT_SECRET || undefined,
    env: isProduction(env) ? { RAIN_GUESTS: 'false' } : ONE_MACHINE,
    report: say,
  });
}

/** Serves until a stop is requested. When a part fails, returns or throws one line about it. */
async function serve(
  system: LocalSystem,
  env: NodeJS.ProcessEnv,
  { stopped, watch }: { stopped: Promise<undefined>; watch: boolean },
): Promise<string | undefined> {
  const settings = { secret: system.jwtSecret, audience: env.JWT_AUDIENCE, issuer: env.JWT_ISSUER };
  const operatorToken = signToken(settings, { sub: 'demo-operator', role: 'operator' });
  const userToken = signToken(settings, { sub: 'demo-user', role: 'user' });
  const operator = new ApiClient(system.apiUrl, operatorToken);
  const activity = (await openDemo(operator, DEMO)) ?? (await openDemoActivity(operator, DEMO));
  const adminUrl = adminUrlOf(system, env);
  const sandboxId = isProduction(env) ? undefined : await sandboxOf(operator, activity.currency);
  say(welcome(system, activity, { adminUrl, operatorToken, userToken, sandboxId }));
  return Promise.race([stopped, watch ? rebuildOnChange(system, say) : system.ended]);
}

/** It ends with this process. The system is useful without it. */
async function sandboxOf(operator: ApiClient, currency: string): Promise<string | undefined> {
  try {
    return (await openSandbox(operator, currency)).channelId;
  } catch (error) {
    say(`There is no sandbox for payouts. ${messageOf(error)}`);
    return undefined;
  }
}

/** Undefined where there are no pages for operators. */
function adminUrlOf({ adminUrl }: LocalSystem, env: NodeJS.ProcessEnv): string | undefined {
  return isProduction(env) && !env.ADMIN_PORT ? undefined : adminUrl;
}

interface Welcome {
  readonly adminUrl: string | undefined;
  readonly operatorToken: string;
  readonly userToken: string;
  readonly sandboxId: string | undefined;
}

function welcome(
  system: LocalSystem,
  activity: Schema<'ActivityDto'>,
  { adminUrl, operatorToken, userToken, sandboxId }: Welcome,
): string {
  const admin = (path: string) =>
    adminUrl === undefined ? 'nowhere in production: set ADMIN_PORT' : adminUrl + path;
  return `
Ready. Press Ctrl-C to stop everything.

Rain            ${system.apiUrl}/rain/${activity.id}
Console         ${admin('/console')}
Swagger UI      ${admin('/docs')}
Operator token  ${operatorToken}
User token      ${userToken}
Payouts         ${sandboxId === undefined ? 'no sandbox' : `channel ${sandboxId}, a sandbox that moves no money`}
Logs            ${system.logDir}

Grab one of the ${activity.packetCount} packets of ${activity.totalAmount} in demo activity ${activity.id}:

curl -X POST ${system.apiUrl}/v1/activities/${activity.id}/grabs -H 'Authorization: Bearer ${userToken}'
`;
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
