import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Chance } from '../faults/chance';
import { books, rain, startRain } from '../harness/shared-books';
import { archiveInto, proofOf } from '../reconciliation/archiving';
import { broken, verificationOver } from '../reconciliation/verifying';
import { ERASURE_KEY, requestErasure } from './erasing';
import { forgetInRedis, payAll, playedRain } from './person';
import { columnsWith } from './search';

const ROUNDS = Number(process.env.ERASURE_KILLS ?? 30);
const SEED = process.env.ERASURE_SEED ?? 'hongbao';

let directory: string;

beforeAll(async () => {
  await startRain();
  directory = mkdtempSync(join(tmpdir(), 'hongbao-erasure-kills-'));
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await rain.stop();
});

/** Each of them wins in rains that are archived and in others, together with someone who stays. */
async function people(): Promise<string[]> {
  const ids = Array.from({ length: ROUNDS }, () => `zoe-${randomUUID()}`);
  await playAll(ids);
  await books.dataSource.query(`select setval('activity_id_seq', 20000)`);
  await forgetInRedis(rain);
  await books.dataSource.query(
    `update activity set closed_at = now() - interval '400 days' where status <> 'active'`,
  );
  await books.dataSource.query(
    `set session_replication_role = replica; update audit_log set at = at - interval '900 days';
     set session_replication_role = default`,
  );
  await verificationOver().verifyUnsealed();
  expect(await archiveInto(directory)).toHaveLength(2);
  await playAll(ids);
  await forgetInRedis(rain);
  await verificationOver().verifyUnsealed();
  for (const id of ids) await payAll(rain, id);
  return ids;
}

async function playAll(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await books.deposit(id, 1n);
    await playedRain(rain, {}, [id, 'ann']);
  }
}

/** Does `npm run erasure`, which may be killed. Returns its exit code, or null if it was killed in time. */
async function erasure(killedAfterMs?: number): Promise<number | null> {
  const program = spawn(process.execPath, [resolve('dist', 'commands', 'erasure.js')], {
    env: {
      ...process.env,
      DATABASE_URL: books.databaseUrl,
      ...rain.dispensing.env,
      JWT_SECRET: 'erasure-tests-sign-with-this-0123456789',
      ERASURE_KEY,
      ERASURE_KEEP_DAYS: '0',
      ERASURE_LEDGER: join(directory, 'erasures.ndjson'),
      ARCHIVE_DIR: directory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (text) => (output += String(text)));
  const timer = setTimeout(() => program.kill('SIGKILL'), killedAfterMs ?? 600_000);
  const [code] = (await once(program, 'close')) as [number | null];
  clearTimeout(timer);
  if (code !== 0 && code !== null) throw new Error(output);
  return code;
}

async function faults(): Promise<string[]> {
  const found = await broken();
  for (const name of readdirSync(directory).filter((one) => one.endsWith('.gz')))
    found.push(...(await proofOf(join(directory, name))).faults);
  return found;
}

const filesWith = (id: string): string[] =>
  readdirSync(directory).filter((name) => {
    const bytes = readFileSync(join(directory, name));
    return (name.includes('.gz') && !name.endsWith('.partial') ? gunzipSync(bytes) : bytes).includes(id);
  });

it(`of ${ROUNDS} erasures, each killed at any moment and run again, none leaves an id or damages what belongs to others`, async () => {
  const chance = new Chance(`erasure-kills/${SEED}`);
  const [first, ...others] = await people();
  await requestErasure(first!);
  const startedMs = performance.now();
  expect(await erasure()).toBe(0);
  const wholeMs = performance.now() - startedMs;
  let kills = 0;
  for (const id of others) {
    await requestErasure(id);
    const killedAfterMs = wholeMs * (0.3 + 0.7 * chance.fraction());
    if ((await erasure(killedAfterMs)) === null) kills += 1;
    if (chance.isTrue(0.2)) expect(await broken()).toEqual([]);
    expect(await erasure()).toBe(0);
    expect(await columnsWith(books.dataSource, id)).toEqual([]);
    expect(filesWith(id)).toEqual([]);
  }
  console.info(
    `${kills} of ${others.length} runs were killed before their end, of ${Math.round(wholeMs)} ms.`,
  );
  expect(kills).toBeGreaterThan(others.length / 3);
  expect(await faults()).toEqual([]);
  expect(filesWith('ann')).toHaveLength(1);
});
