import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ApiClient, type Schema } from '../../libs/client';
import { readEnvironment } from '../../libs/environment';
import { settingNames } from '../platform/config';
import { openDemoActivity } from './local/demo-activity';
import { Progress } from './local/progress';
import { openSandbox } from './sandbox/open-sandbox';
import type { SandboxChannel } from './sandbox/sandbox-channel';
import { signToken } from '../platform/http/auth/sign-token';
import { type LocalSystem, startLocalSystem } from './local/system';
import { stopRequest } from './local/stop-request';
import { verifySystem } from './local/verify-system';
import { watchDemo } from './watch/watch-demo';

const PLAN = { sponsorId: 'demo-sponsor', totalAmount: '5000', packetCount: 1_000 };

/** Fewer than the packets, so that something is left to refund; each taps twice. */
const USERS = 900;
const TAPS_IN_FLIGHT = 64;
const STEP_WITHIN_MS = 60_000;

const PLAYED_WITH = [
  ...['CURRENCY', 'GRAB_ACK', 'API_PROCESSES', 'DATABASE_POOL_MAX', 'SHARD_COUNT', 'SETTLEMENT_CONCURRENCY'],
  ...['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG'],
];

type Proof = Schema<'ReconciliationDto'>;

/**
 * `npm run demo`: a whole rain on private engines; the exit code is 1 when the books do not agree.
 * With `--watch`, one rain follows another until the demo is stopped.
 */
async function demo(): Promise<boolean> {
  const env = readEnvironment();
  const { watch } = parseArgs({ options: { watch: { type: 'boolean', default: false } } }).values;
  const dataDir = mkdtempSync(join(tmpdir(), 'hongbao-demo-'));
  try {
    const options = { localDir: env.LOCAL_DIR || '.local', dataDir, report: say, env: emptied(env) };
    if (watch) return await watchDemo(options, stopRequest(), say);
    const system = await startLocalSystem({
      ...options,
      env: { ...options.env, WEBHOOK_PRIVATE_ADDRESSES: 'true' },
    });
    try {
      return await rain(system, env.CURRENCY || 'CNY');
    } finally {
      await system.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Limits, approvals and addresses of another system would end the rain before its books are proven. */
function emptied(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = settingNames().filter((name) => !PLAYED_WITH.includes(name));
  const set = others.filter((name) => env[name]);
  if (set.length > 0) say(`Left out: ${set.join(', ')}. The demo is a system of its own.`);
  return Object.fromEntries(others.map((name) => [name, '']));
}

async function rain(system: LocalSystem, currency: string): Promise<boolean> {
  const settings = { secret: system.jwtSecret };
  const operator = new ApiClient(
    system.apiUrl,
    signToken(settings, { sub: 'demo-operator', role: 'operator' }),
  );
  const userIds = Array.from({ length: USERS }, (_, i) => `user-${i + 1}`);
  const users = userIds.map(
    (sub) => new ApiClient(system.apiUrl, signToken(settings, { sub, role: 'user' })),
  );

  const { channelId, sandbox } = await openSandbox(operator, currency);
  const { id } = await openDemoActivity(operator, { ...PLAN, payout: { channelId } });
  const answers = await tapAll(users, id);
  const settled = await until('Settling', async () => {
    const { claims } = await proofOf(operator, id);
    return { done: claims.credited, isOver: claims.pending === 0 };
  });
  const paidOut = await until('Paying out', () => {
    const done = sandbox.count;
    return Promise.resolve({ done, isOver: done >= USERS });
  });
  await operator.closeActivity(id);
  const proof = await proofOf(operator, id);
  const sponsor = await operator.readWallet(PLAN.sponsorId);

  say(table(answers, proof, sandbox, sponsor.balance));
  const { balanced, output } = await verifySystem(system);
  say(output);
  return settled && paidOut && balanced && proof.verdict === 'balanced';
}

/** Counts the answers by their code. */
async function tapAll(users: readonly ApiClient[], id: string): Promise<Map<string, number>> {
  const taps = [...users, ...users];
  const answers = new Map<string, number>();
  const progress = new Progress('Grabbing', taps.length);
  const tapper = async () => {
    for (let user = taps.pop(); user; user = taps.pop()) {
      const { code } = await user.grabPacket(id);
      answers.set(code, (answers.get(code) ?? 0) + 1);
      progress.advance();
    }
  };
  await Promise.all(Array.from({ length: TAPS_IN_FLIGHT }, tapper));
  progress.end();
  return answers;
}

const proofOf = (operator: ApiClient, id: string): Promise<Proof> => operator.reconcileActivity(id);

/** Returns false when a step takes too long. */
async function until(what: string, read: () => Promise<{ done: number; isOver: boolean }>): Promise<boolean> {
  const deadline = performance.now() + STEP_WITHIN_MS;
  const progress = new Progress(what, USERS);
  for (;;) {
    const { done, isOver } = await read();
    progress.moveTo(done);
    if (isOver || performance.now() > deadline) {
      progress.end();
      return isOver;
    }
    await pause(100);
  }
}

function table(
  answers: ReadonlyMap<string, number>,
  proof: Proof,
  sandbox: SandboxChannel,
  sponsorBalance: string,
): string {
  const rows: [string, string | number][] = [
    ['packets', PLAN.packetCount],
    ['won (code 0)', answers.get('0') ?? 0],
    ['already had one (code 1)', answers.get('1') ?? 0],
    ['nothing to get (code -1)', answers.get('-1') ?? 0],
    ['funded', PLAN.totalAmount],
    ['credited to wallets', proof.credited],
    ['paid out by the sandbox', sandbox.count],
    ['pending', proof.pending],
    ['dead letters', proof.dead],
    ['refunded to the sponsor', proof.refunded],
    ['left in escrow', proof.escrowBalance],
    ["sponsor's wallet now", sponsorBalance],
    ['verdict', proof.verdict],
  ];
  return ['', ...rows.map(([name, value]) => `${name.padEnd(26)}${String(value).padStart(10)}`), ''].join(
    '\n',
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

demo()
  .then((proven) => process.exit(proven ? 0 : 1))
  .catch((error: unknown) => {
    process.stderr.write(`The demo failed. ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  });
