import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { barePython } from '../harness/distributed';
import { waitFor } from '../harness/engines';
import { runMonitor } from './monitor';
import { Installation } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';

const CLAIM_LOG_KEY = Buffer.alloc(32, 3).toString('base64');
const NEXT_KEY = Buffer.alloc(32, 4).toString('base64');
const TABLES = ['claim_leaf', 'claim_log_node', 'claim_checkpoint'];

/** Reads lists of files, a line each, and answers with the lines of the script or with its refusal. */
const DRIVER = `
import importlib.util as u, json, sys
spec = u.spec_from_file_location("script", sys.argv[1]); script = u.module_from_spec(spec); spec.loader.exec_module(script)
for line in sys.stdin:
    try: print(json.dumps(script.check(*json.loads(line))))
    except script.REFUSALS as error: print(json.dumps(f"refused: {error}"))
`;

let rain: Installation;
const directory = ownDirectory('log');

beforeAll(async () => {
  rain = await Installation.startWithWorker({ CLAIM_LOG_KEY });
  for (const table of TABLES) await rain.sql(`alter table ${table} disable trigger append_only`);
});

afterAll(() => rain.stop());

const text = async (path: string): Promise<string> => (await fetch(rain.url + path)).text();

/** Waits until the public checkpoint, which may be a second old, is of a log of this many leaves. */
async function shows(size: number): Promise<void> {
  await waitFor(async () => (await text('/v1/log/checkpoint')).includes(`\n${size}\n`), {
    what: `a checkpoint of ${size} leaves`,
  });
}

/** Lets users win, and waits until the log has all of their wins. Returns their packets. */
async function win(activityId: string, users: readonly string[]): Promise<string[]> {
  const packets: string[] = [];
  for (const user of users) {
    packets.push((await rain.win(activityId, user)).redPacketId);
  }
  for (const [i, user] of users.entries())
    await waitFor(async () => (await proofOf(user, packets[i]!)).status === 200, {
      what: `the leaf of ${user}`,
    });
  return packets;
}

const proofOf = (user: string, packet: string) => rain.user(user).get(`/v1/me/packets/${packet}/log-proof`);

const monitor = (name: string, ...options: string[]) => {
  const keep = join(directory, `${name}.json`);
  return runMonitor('--url', rain.url, '--keep', keep, '--once', ...options);
};

/** The ids of broken invariants, except that of the rules, because this file removes triggers. */
const broken = async (): Promise<string[]> => {
  const output = await rain.verify().catch((error: Error) => error.message);
  return Array.from(output.matchAll(/^BROKEN (\S+)/gm), ([, id]) => id!).filter((id) => id !== 'I14');
};

describe('the log of claims', () => {
  let packets: string[];
  let activityId: string;
  let former: string;

  it('is empty before the first win, and the monitor says so', async () => {
    expect(await monitor('a')).toMatchObject({
      code: 0,
      output: expect.stringContaining('The log is empty'),
    });
    expect((await fetch(`${rain.url}/v1/log/checkpoint`)).status).toBe(404);
  });

  it('has every win within seconds, and proves it only to its winner', async () => {
    activityId = await rain.createActivity({ totalAmount: '20.00', packetCount: 20 });
    packets = await win(activityId, ['log-ann', 'log-bob', 'log-cem']);
    await shows(3);
    former = await text('/v1/log/checkpoint');
    expect(await proofOf('log-bob', packets[0]!)).toMatchObject({
      status: 404,
      body: { code: 'log.no_such_claim' },
    });
    expect(await monitor('a')).toMatchObject({
      code: 0,
      output: expect.stringContaining('ok: 3 leaves, 3 of them new'),
    });
    const audience = { kind: 'people', userIds: ['log-eve'] };
    const hiddenId = await rain.createActivity({ totalAmount: '1.00', packetCount: 1, audience });
    packets.push(...(await win(activityId, ['log-dan'])), ...(await win(hiddenId, ['log-eve'])));
    await shows(5);
    expect(await monitor('a')).toMatchObject({
      code: 0,
      output: expect.stringContaining('ok: 5 leaves, 2 of them new'),
    });
    expect(await broken()).toEqual([]);
    const { leaves } = JSON.parse(await text('/v1/log/leaves?from=0')) as { leaves: object[] };
    expect(leaves.slice(3)).toEqual([
      expect.objectContaining({ index: 3, activityId }),
      { index: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('is proven by a script that shares no code, and refused if a single digit differs', async () => {
    const python = await barePython();
    const { body: proof } = await proofOf('log-ann', packets[0]!);
    const [key, leaves] = [await text('/v1/log/key'), await text('/v1/log/leaves?from=0')];
    const consistency = await text('/v1/log/consistency?from=3&to=5');
    const files = [key, former, leaves, consistency, JSON.stringify(proof)];
    const edited = (i: number, from: string | RegExp, to: string) => {
      expect(files[i]).toMatch(from);
      return files.map((file, at) => (at === i ? file.replace(from, to) : file));
    };
    const lists = [
      [files, 'log-ann'],
      [files, 'log-bob'],
      [edited(1, '\n3\n', '\n4\n'), 'log-ann'],
      [edited(2, /"no":"(\d+)"/, '"no":"99"'), 'log-ann'],
      [edited(3, /"proof":\["(.)/, '"proof":["x'), 'log-ann'],
      [edited(4, /"index":(\d+)/, '"index":4'), 'log-ann'],
      [[...files, former.replace(/^— .*$/m, '')], 'log-ann'],
    ];
    const input = lists.map((list) => `${JSON.stringify(list)}\n`).join('');
    const output = execFileSync(python.command, ['-c', DRIVER, join('examples', 'verify-log.py')], {
      input,
      env: python.env,
      encoding: 'utf8',
    });
    const [good, ...bad] = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(good).toEqual([
      'checkpoint of 3 leaves: signed',
      'checkpoint of 5 leaves: signed',
      'checkpoint of 3 leaves: computed from them',
      'checkpoint of 5 leaves: computed from them',
      '5 leaves begin with the 3 before',
      expect.stringMatching(/^packet \d+ of activity \d+: in the log at \d$/),
    ]);
    expect(bad).toEqual([
      'refused: a leaf of another user',
      'refused: a checkpoint is not signed by the key',
      'refused: the leaves do not lead to the root of 3',
      expect.stringMatching(/^refused: /),
      expect.stringMatching(/^refused: /),
      'refused: a checkpoint without a signature of the key',
    ]);
  });

  it('answers 400 to requests for proofs that cannot exist', async () => {
    for (const query of ['from=0&to=5', 'from=3&to=6', 'from=4&to=3', 'from=3', 'from=x&to=5'])
      expect([query, (await fetch(`${rain.url}/v1/log/consistency?${query}`)).status]).toEqual([query, 400]);
    expect(JSON.parse(await text('/v1/log/leaves?from=5'))).toEqual({ leaves: [] });
  });

  it('shows in verify that a claim was deleted or given to another user', async () => {
    const row = `activity_id = ${activityId} and user_id = 'log-ann'`;
    await rain.sql(`update claim set user_id = 'log-zoe' where ${row}`);
    expect(await broken()).toContain('I25');
    await rain.sql(`update claim set user_id = 'log-ann' where ${row.replace('ann', 'zoe')}`);
    await rain.sql(`create table kept as select * from claim where ${row}`);
    await rain.sql(`delete from claim where ${row}`);
    expect(await broken()).toContain('I25');
    await rain.sql('insert into claim select * from kept');
    expect(await broken()).toEqual([]);
  });

  it('shows in the monitor and in verify that a leaf was edited', async () => {
    await rain.sql('update claim_leaf set packet_no = packet_no + 100 where leaf_index = 1');
    expect(await monitor('a')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^REWRITTEN The leaves do not/),
    });
    expect(await broken()).toEqual(['I25', 'I26']);
    await rain.sql('update claim_leaf set packet_no = packet_no - 100 where leaf_index = 1');
    expect((await monitor('a')).code).toBe(0);
  });

  it('shows in the monitor that Postgres was restored, even if the log has grown again since', async () => {
    await rain.pauseWorker();
    await rain.sql('delete from claim_checkpoint where tree_size > 3');
    await rain.sql('delete from claim_leaf where leaf_index >= 3');
    await rain.sql('delete from claim_salt where leaf_index >= 3');
    await shows(3);
    expect(await monitor('a')).toMatchObject({
      code: 1,
      output: expect.stringContaining('and had 5: Postgres was restored'),
    });
    rain.resumeWorker();
    await shows(5);
    expect(await monitor('a')).toMatchObject({
      code: 1,
      output: expect.stringContaining('history has a fork'),
    });
    await win(activityId, ['log-fay']);
    await shows(6);
    expect(await monitor('a')).toMatchObject({
      code: 1,
      output: expect.stringContaining('does not begin with the 5'),
    });
    expect((await monitor('b')).code).toBe(0);
    expect(await broken()).toEqual([]);
  });

  it('continues when its key is replaced: both keys open it during the change, and only the new key afterwards', async () => {
    const restartWorker = async (keys: NodeJS.ProcessEnv) => {
      await rain.worker!.stop();
      await rain.startWorker(keys);
    };
    await restartWorker({ CLAIM_LOG_KEY: NEXT_KEY, CLAIM_LOG_KEY_PREVIOUS: CLAIM_LOG_KEY });
    await win(activityId, ['log-gus']);
    await shows(7);
    expect((await monitor('b')).code).toBe(0);
    const published = (await text('/v1/log/key')).trim();
    await restartWorker({ CLAIM_LOG_KEY: NEXT_KEY });
    await win(activityId, ['log-hal']);
    await shows(8);
    expect(await monitor('b')).toMatchObject({
      code: 1,
      output: expect.stringContaining('is not signed by'),
    });
    expect(await monitor('b', '--key', published)).toMatchObject({ code: 0 });
    expect(await broken()).toEqual([]);
  });
});
