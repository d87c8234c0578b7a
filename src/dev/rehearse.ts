import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiClient, type Schema } from '../../libs/client';
import { readEnvironment } from '../../libs/environment';
import { signToken } from '../platform/http/auth/sign-token';
import { localApi } from './local/environment';
import { Progress } from './local/progress';
import { localJwtSecret, tokenSettings } from './local/secrets';
import { ANSWER_KINDS } from './rehearsal/answers';
import { Crowd } from './rehearsal/crowd';

const SECONDS = 30;
const TAPS_OF_EACH = 4;
const USERS_MAX = 100_000;
const PAID_WITHIN_MS = 30_000;
const TOKEN_HOURS = 12;

type Report = Schema<'RehearsalReportBody'>;

interface Wish {
  readonly activityId: string;
  readonly tapsPerSecond: number;
  readonly seconds: number;
  readonly users: number;
  readonly tokensFile?: string;
}

/** `npm run rehearse` exits with 1 if anything broke, and with 2 if it could not rehearse. */
async function rehearse(): Promise<boolean> {
  const wish = wishFrom(process.argv.slice(2));
  const env = { ...readEnvironment(), ...(await localApi([])) };
  const { HONGBAO_URL: url, HONGBAO_TOKEN: token } = env;
  if (!url || !token)
    throw new Error('Set HONGBAO_URL to the API, and HONGBAO_TOKEN to the token of a member of staff.');
  const staff = new ApiClient(url, token);
  const activity = await staff.readActivity(wish.activityId);
  requireRehearsal(activity, wish.tokensFile !== undefined);
  const crowd = new Crowd({ ...wish, url, tokens: tokensFor(wish, env) });
  await opening(activity);
  const progress = new Progress('Tapping', wish.tapsPerSecond * wish.seconds);
  await crowd.tap((taps) => progress.moveTo(taps));
  progress.end();
  const isPaid = await paid(staff, activity.id);
  const report: Report = {
    taps: crowd.taps,
    seconds: wish.seconds,
    tapsPerSecond: Math.max(1, Math.floor(crowd.taps / wish.seconds)),
    answers: crowd.answers,
    p50Ms: Math.ceil(crowd.latencies.quantileMs(0.5)),
    p99Ms: Math.ceil(crowd.latencies.quantileMs(0.99)),
    brokeFirst: crowd.brokeFirst ?? (isPaid ? undefined : 'unpaid'),
  };
  say(textOf(activity, report, crowd.dropped));
  await staff.reportRehearsal(activity.id, report);
  say('Reported: the pre-flight of an activity with these terms names it.');
  return report.brokeFirst === undefined;
}

function wishFrom(args: string[]): Wish {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'taps-per-second': { type: 'string' },
      seconds: { type: 'string', default: String(SECONDS) },
      users: { type: 'string' },
      tokens: { type: 'string' },
    },
  });
  const [activityId, ...others] = positionals;
  if (activityId === undefined || others.length > 0) throw new Error('Name one activity.');
  const tapsPerSecond = wholeNumber('--taps-per-second', values['taps-per-second']);
  const seconds = wholeNumber('--seconds', values.seconds);
  const few = Math.min(USERS_MAX, Math.ceil((tapsPerSecond * seconds) / TAPS_OF_EACH));
  const users = values.users === undefined ? few : wholeNumber('--users', values.users);
  return { activityId, tapsPerSecond, seconds, users, tokensFile: values.tokens };
}

function wholeNumber(option: string, text: string | undefined): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`${option} must be a whole number above zero.`);
}

function requireRehearsal(
  { id, rehearsal, phase, admission, audience }: Schema<'ActivityDto'>,
  hasTokens: boolean,
): void {
  if (!rehearsal) throw new Error(`Activity ${id} is not a rehearsal: its packets are worth something.`);
  if (phase !== 'scheduled' && phase !== 'open')
    throw new Error(`Activity ${id} is ${phase}: create another one.`);
  if (admission === 'ticket')
    throw new Error(
      `Activity ${id} asks for tickets, which this crowd does not have: rehearse with admission "open".`,
    );
  if (audience && !(hasTokens && audience.kind === 'people'))
    throw new Error(`Activity ${id} does not exist for this crowd: rehearse with the audience "public".`);
}

/** Signed here, or by an identity provider before. */
function tokensFor({ users, tokensFile }: Wish, env: NodeJS.ProcessEnv): string[] {
  if (tokensFile !== undefined) return readFileSync(tokensFile, 'utf8').split('\n').filter(Boolean);
  const secret = env.JWT_SECRET || localJwtSecret(env.LOCAL_DIR || '.local');
  const settings = tokenSettings(env, secret);
  return Array.from({ length: users }, (_, i) =>
    signToken(settings, { sub: `rehearsal-${i + 1}`, role: 'user' }, TOKEN_HOURS),
  );
}

async function opening({ opensAt }: Schema<'ActivityDto'>): Promise<void> {
  const ms = Date.parse(opensAt) - Date.now();
  if (ms <= 0) return;
  say(`It opens at ${opensAt}.`);
  await pause(ms);
}

/** The wins are in wallets within half a minute. */
async function paid(staff: ApiClient, activityId: string): Promise<boolean> {
  const deadline = performance.now() + PAID_WITHIN_MS;
  for (;;) {
    const { oldestUnpaidSeconds } = await staff.readActivityProgress(activityId);
    if (oldestUnpaidSeconds === null) return true;
    if (performance.now() > deadline) return false;
    await pause(200);
  }
}

function textOf({ id, name }: Schema<'ActivityDto'>, report: Report, dropped: number): string {
  const { taps, tapsPerSecond, seconds, answers, p50Ms, p99Ms, brokeFirst = 'nothing' } = report;
  const rows: (readonly [string, string | number])[] = [
    ['taps', taps],
    ...ANSWER_KINDS.filter((kind) => answers[kind] > 0).map((kind) => [`  ${kind}`, answers[kind]] as const),
    ['p50', `${p50Ms} ms`],
    ['p99', `${p99Ms} ms`],
    ['broke first', brokeFirst],
  ];
  return [
    `Rehearsal of activity ${id}, “${name}”, at ${tapsPerSecond} taps a second for ${seconds} s`,
    ...rows.map(([what, value]) => `${what.padEnd(16)}${String(value).padStart(14)}`),
    ...(dropped > 0
      ? [
          `${dropped} taps were not sent: too many others had no answer. Either the API hangs, or this machine is too slow.`,
        ]
      : []),
  ].join('\n');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

rehearse()
  .then((held) => (process.exitCode = held ? 0 : 1))
  .catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nUsage: npm run rehearse -- --help\n`,
    );
    process.exitCode = 2;
  });
