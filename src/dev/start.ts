import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiClient, type Schema } from '../../libs/client';
import { readEnvironment } from '../../libs/environment';
import { demoPlan, openDemo, openDemoActivity } from './local/demo-activity';
import { redisUrlOf } from './local/environment';
import { signToken } from '../platform/http/auth/sign-token';
import { tokenSettings } from './local/secrets';
import { stopRequest } from './local/stop-request';
import { type LocalSystem, startLocalSystem } from './local/system';
import { rebuildOnChange } from './rebuild';
import { openSandbox } from './sandbox/open-sandbox';

const ATTEMPTS_MAX = 5;

/** Guests play, and the worker calls the sandbox, unless the settings say otherwise. */
const onOneMachine = ({ RAIN_GUESTS, WEBHOOK_PRIVATE_ADDRESSES }: NodeJS.ProcessEnv) => ({
  RAIN_GUESTS: RAIN_GUESTS || 'true',
  WEBHOOK_PRIVATE_ADDRESSES: WEBHOOK_PRIVATE_ADDRESSES || 'true',
});

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
    env: isProduction(env) ? { RAIN_GUESTS: 'false' } : onOneMachine(env),
    report: say,
  });
}

/** Serves until a stop is requested. If a part fails, returns or throws one line about it. */
async function serve(
  system: LocalSystem,
  env: NodeJS.ProcessEnv,
  { stopped, watch }: { stopped: Promise<undefined>; watch: boolean },
): Promise<string | undefined> {
  const settings = tokenSettings(env, system.jwtSecret);
  const operatorToken = signToken(settings, { sub: 'demo-operator', role: 'operator' });
  const userToken = signToken(settings, { sub: 'demo-user', role: 'user' });
  const operator = new ApiClient(system.apiUrl, operatorToken, { fetch: inTurn });
  const activity = await orSaid('demo rain', () => demoRain(operator, env));
  const adminUrl = adminUrlOf(system, env);
  const sandbox = isProduction(env)
    ? undefined
    : await orSaid('sandbox for payouts', () => openSandbox(operator, env.CURRENCY || 'CNY'));
  const sandboxId = sandbox?.channelId;
  say(
    welcome(system, activity, { adminUrl, operatorToken, userToken, sandboxId, hasPages: env.WEB !== 'off' }),
  );
  return Promise.race([stopped, watch ? rebuildOnChange(system, say) : system.ended]);
}

/** The system is useful without it. */
async function orSaid<T>(what: string, open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    say(`Left out: the ${what}. ${messageOf(error)}`);
    return undefined;
  }
}

async function demoRain(operator: ApiClient, env: NodeJS.ProcessEnv): Promise<Schema<'ActivityDto'>> {
  const { plan, remark } = demoPlan(env);
  const open = await openDemo(operator, plan);
  if (open) return open;
  if (remark !== undefined) say(remark);
  return openDemoActivity(operator, plan);
}

/** A rate limit may be lower than the number of requests that a start sends at once. */
async function inTurn(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(request.clone());
    if (answer.status !== 429 || attempt === ATTEMPTS_MAX) return answer;
    await answer.body?.cancel();
    await pause(Number(answer.headers.get('retry-after') ?? 1) * 1000);
  }
}

/** Undefined if no pages for operators are served. */
function adminUrlOf({ adminUrl }: LocalSystem, env: NodeJS.ProcessEnv): string | undefined {
  return isProduction(env) && !env.ADMIN_PORT ? undefined : adminUrl;
}

interface Welcome {
  readonly adminUrl: string | undefined;
  readonly operatorToken: string;
  readonly userToken: string;
  readonly sandboxId: string | undefined;
  readonly hasPages: boolean;
}

function welcome(
  system: LocalSystem,
  activity: Schema<'ActivityDto'> | undefined,
  { adminUrl, operatorToken, userToken, sandboxId, hasPages }: Welcome,
): string {
  const admin = (path: string) =>
    adminUrl === undefined ? 'nowhere in production: set ADMIN_PORT' : adminUrl + path;
  const page = (address: string) => (hasPages ? address : 'off (WEB)');
  return `
Ready. Press Ctrl-C to stop everything.

Rain            ${page(`${system.apiUrl}/rain/${activity?.id ?? '{activityId}'}`)}
Console         ${page(admin('/console'))}
Swagger UI      ${admin('/docs')}
Operator token  ${operatorToken}
User token      ${userToken}
Payouts         ${sandboxId === undefined ? 'no sandbox' : `channel ${sandboxId}, a sandbox that moves no money`}
Logs            ${system.logDir}
${activity === undefined ? '' : invitation(system, activity, userToken)}`;
}

const invitation = (
  { apiUrl }: LocalSystem,
  { id, packetCount, totalAmount }: Schema<'ActivityDto'>,
  userToken: string,
): string => `
Grab one of the ${packetCount} packets of ${totalAmount} in demo activity ${id}:

curl -X POST ${apiUrl}/v1/activities/${id}/grabs -H 'Authorization: Bearer ${userToken}'
`;

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
