import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { CheckpointSigner, openCheckpoint, openCosignature, WitnessSigner } from '../../libs/claim-log';
import { barePython } from '../harness/distributed';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';
import { runMonitor } from './monitor';

const CLAIM_LOG_KEY = Buffer.alloc(32, 3).toString('base64');
const NAMES = ['one.example', 'two.example'] as const;
const TABLES = ['claim_leaf', 'claim_log_node', 'claim_checkpoint', 'claim_cosignature'];

/** Signs as RFC 8032 and tlog-cosignature say, with the curve of the script and no code of the system. */
const SIGNER = `
import importlib.util as u, base64, hashlib, json, sys
spec = u.spec_from_file_location("script", sys.argv[1]); s = u.module_from_spec(spec); spec.loader.exec_module(s)
def encoded(point):
    inverse = pow(point[2], -1, s.P); x, y = point[0] * inverse % s.P, point[1] * inverse % s.P
    return (y | (x & 1) << 255).to_bytes(32, "little")
def number(*parts): return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % s.Q
def cosign(name, seed, at, text):
    hashed = hashlib.sha512(seed).digest()
    secret = int.from_bytes(hashed[:32], "little") & (1 << 254) - 8 | 1 << 254
    key = encoded(s.times(secret, s.BASE)); key_id = hashlib.sha256(name.encode() + b"\\n\\4" + key).digest()[:4]
    message = f"cosignature/v1\\ntime {at}\\n{text}".encode()
    nonce = number(hashed[32:], message); first = encoded(s.times(nonce, s.BASE))
    value = key_id + at.to_bytes(8, "big") + first + ((nonce + number(first, key, message) * secret) % s.Q).to_bytes(32, "little")
    b64 = lambda data: base64.b64encode(data).decode()
    return [f"{name}+{key_id.hex()}+{b64(bytes([4]) + key)}", f"— {name} {b64(value)}"]
for name, seed, at, text in json.load(sys.stdin): print(json.dumps(cosign(name, bytes.fromhex(seed), at, text)))
`;

const directory = ownDirectory('witness');
let keys: string[];
let rain: Installation;
let activityId: string;

const path = (name: string): string => join(directory, name);

/** One pass of a witness over a log. Both logs here have the same key. */
const witness = async (name: string, keep: string, url = rain.url) => {
  const key = (await text('/v1/log/key')).trim();
  return runMonitor('--url', url, '--keep', path(keep), '--key', key, '--witness-key', path(name), '--once');
};

const text = async (route: string, url = rain.url): Promise<string> => (await fetch(url + route)).text();

const send = async (body: object, url = rain.url) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/log/cosignatures`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};

/** Hands a cosignature in, again if there were too many within a second. */
async function handIn(body: object, url = rain.url): ReturnType<typeof send> {
  let answer = await send(body, url);
  const isAdmitted = async () => answer.status !== 429 || (answer = await send(body, url)).status !== 429;
  await waitFor(isAdmitted, { what: 'an answer within the limit' });
  return answer;
}

async function open(of: Installation): Promise<string> {
  for (const table of TABLES) await of.sql(`alter table ${table} disable trigger append_only`);
  return of.createActivity({ totalAmount: '40.00', packetCount: 40 });
}

/** Lets users win, and makes the checkpoint with all of them the one that witnesses sign. */
async function win(of: Installation, id: string, ...users: string[]): Promise<void> {
  for (const user of users) await of.win(id, user);
  const { claims } = await of.row<{ claims: number }>('select count(*)::int as claims from claim');
  await waitFor(async () => (await text('/v1/log/checkpoint', of.url)).includes(`\n${claims}\n`), {
    what: `a checkpoint of ${claims} leaves`,
  });
  await due(of, claims);
}

/** As if half a minute had passed. */
async function due(of: Installation, size: number): Promise<void> {
  await of.sql(`update claim_checkpoint set signed_at = signed_at - interval '36 seconds'`);
  await waitFor(async () => (await text('/v1/log/checkpoint-to-cosign', of.url)).includes(`\n${size}\n`), {
    what: `a checkpoint of ${size} leaves that witnesses sign`,
  });
}

const signersOf = (note: string): string[] =>
  keys.filter((key) => openCosignature(note, key)).map((key) => key.split('+')[0]!);

beforeAll(async () => {
  keys = [];
  for (const name of NAMES) {
    const { code, output } = await runMonitor('--new-witness-key', path(name), '--name', name);
    expect(code).toBe(0);
    keys.push(output);
  }
  rain = await Installation.startWithWorker({ CLAIM_LOG_KEY, CLAIM_LOG_WITNESSES: keys.join(',') });
  activityId = await open(rain);
});

afterAll(() => rain.stop());

describe('checkpoints that witnesses sign', () => {
  it('have a line for each witness, and can be asked for by their number', async () => {
    expect(statSync(path(NAMES[0])).mode & 0o777).toBe(0o600);
    const unkeyed = await runMonitor('--url', rain.url, '--witness-key', path(NAMES[0]), '--once');
    expect(unkeyed).toMatchObject({ code: 2, output: expect.stringContaining('--key is missing') });
    const key = new CheckpointSigner('log.example', Buffer.alloc(32, 9)).verifierKey;
    const elsewhere = ['--url', rain.url, '--key', key, '--witness-key', path(NAMES[0]), '--once'];
    expect(await runMonitor(...elsewhere)).toMatchObject({
      code: 0,
      output: expect.stringContaining('is empty'),
    });
    await win(rain, activityId, 'w-ann', 'w-bob');
    const early = await fetch(`${rain.url}/v1/log/checkpoint?quorum=1`);
    expect([early.status, await early.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'log.not_cosigned' }),
    ]);
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/signed: 2 leaves of \S+$/),
    });
    expect(signersOf(await text('/v1/log/checkpoint?quorum=1'))).toEqual(['one.example']);
    expect((await fetch(`${rain.url}/v1/log/checkpoint?quorum=2`)).status).toBe(404);
    expect((await fetch(`${rain.url}/v1/log/checkpoint?quorum=1&of=two.example`)).status).toBe(404);
    expect(await witness(NAMES[1], 'two')).toMatchObject({ code: 0 });
    const note = await text('/v1/log/checkpoint?quorum=2');
    expect(signersOf(note)).toEqual(NAMES);
    expect(openCheckpoint(note, (await text('/v1/log/key')).trim())).toMatchObject({ size: 2 });
    expect(note).toMatch(/^[^\n]+\n2\n[^\n]+\n\n(— [^ \n]+ [A-Za-z0-9+/=]+\n){3}$/);
    for (const query of ['quorum=0', 'quorum=15', 'quorum=x', 'of=one.example', 'quorum=1&of='])
      expect([query, (await fetch(`${rain.url}/v1/log/checkpoint?${query}`)).status]).toEqual([query, 400]);
  });

  it('are followed by newer ones, which are served unless signatures are asked for', async () => {
    await win(rain, activityId, 'w-cem');
    expect(signersOf(await text('/v1/log/checkpoint'))).toEqual([]);
    expect(await text('/v1/log/checkpoint?quorum=2')).toContain('\n2\n');
    expect(await witness(NAMES[0], 'one')).toMatchObject({ code: 0 });
    expect(await text('/v1/log/checkpoint?quorum=1')).toContain('\n3\n');
    expect(await text('/v1/log/checkpoint?quorum=1&of=two.example,nobody.example')).toContain('\n2\n');
  });

  it('take no line of an unknown key, of another text, of another time or of an old tree', async () => {
    const stranger = new WitnessSigner('stranger.example', Buffer.alloc(32, 8));
    const seed = (JSON.parse(readFileSync(path(NAMES[1]), 'utf8')) as { key: string }).key;
    const two = new WitnessSigner(NAMES[1], Buffer.from(seed, 'base64'));
    const note = await text('/v1/log/checkpoint-to-cosign');
    const at = Math.floor(Date.now() / 1000);
    const lineOf = (signer: WitnessSigner, of = note, time = at) => signer.cosign(of, time).line;
    const refused = async (size: number, cosignature: string) => {
      const { status, body } = await handIn({ size, cosignature });
      return [status, body.code];
    };
    expect(await refused(3, lineOf(stranger))).toEqual([403, 'log.unknown_witness']);
    const impostor = new WitnessSigner(NAMES[1], Buffer.alloc(32, 8));
    expect(await refused(3, lineOf(impostor))).toEqual([403, 'log.unknown_witness']);
    expect(await refused(3, 'nothing')).toEqual([422, 'log.cosignature_invalid']);
    expect(await refused(3, lineOf(two, note.replace('\n3\n', '\n4\n')))).toEqual([
      422,
      'log.cosignature_invalid',
    ]);
    expect(await refused(2, lineOf(two))).toEqual([422, 'log.cosignature_invalid']);
    expect(await refused(4, lineOf(two))).toEqual([404, 'log.no_such_checkpoint']);
    expect(await refused(3, lineOf(two, note, at + 3600))).toEqual([422, 'log.cosignature_invalid']);
    expect(await refused(3, 'x'.repeat(301))).toEqual([400, 'request.invalid']);
    expect(await refused(-1, 'x')).toEqual([400, 'request.invalid']);
    const former = await text('/v1/log/checkpoint?quorum=2');
    const first = lineOf(two);
    expect(await handIn({ size: 3, cosignature: first })).toMatchObject({ status: 200 });
    expect(await refused(2, lineOf(two, former))).toEqual([409, 'log.checkpoint_old']);
    const kept = { witness: NAMES[1], size: 3, cosignedAt: new Date(at * 1000).toISOString() };
    for (const line of [first, lineOf(two, note, at + 5)])
      expect(await handIn({ size: 3, cosignature: line })).toEqual({ status: 200, body: kept });
    expect(await text('/v1/log/checkpoint?quorum=2')).toContain(`${first}\n`);
    const rows = await rain.sql(`select from claim_cosignature where tree_size = 3`);
    expect(rows).toHaveLength(2);
  });

  it('are guarded against floods: of many lines at once from one address, some are answered 429 and the others are refused with a reason', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => send({ size: 3, cosignature: 'nothing' })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status !== 429 && status !== 422)).toEqual([]);
  });

  it('can be demanded by a monitor, which names the missing witnesses', async () => {
    const demand = (count: string, ...others: string[]) =>
      runMonitor(
        ...['--url', rain.url, '--keep', path('demand'), '--once', '--require-witnesses', count],
        ...[...keys, ...others].flatMap((key) => ['--witness', key]),
      );
    expect(await demand('2')).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /one.example and two.example have signed 3 leaves, the first of them at 20\d\d-/,
      ),
    });
    const young = await runMonitor(
      ...['--url', rain.url, '--keep', path('demand'), '--once', '--max-age', '0'],
      ...keys.flatMap((key) => ['--witness', key]),
    );
    expect(young).toMatchObject({ code: 3, output: expect.stringContaining('not older than 0 seconds') });
    const third = new WitnessSigner('three.example', Buffer.alloc(32, 8)).verifierKey;
    expect(await demand('2', third)).toMatchObject({ code: 0 });
    expect(await demand('3', third)).toMatchObject({
      code: 3,
      output: expect.stringContaining(
        'UNWITNESSED 3 of one.example, two.example, three.example have signed no checkpoint together.',
      ),
    });
    await win(rain, activityId, 'w-dan');
    expect(await demand('2')).toMatchObject({
      code: 3,
      output: expect.stringContaining('have signed only 3 of 4 leaves'),
    });
    expect(await demand('4')).toMatchObject({ code: 2, output: expect.stringContaining('there are 2 keys') });
  });

  it('are the same bytes if Python signs with the same key, time and text, and can be demanded by its checker', async () => {
    const { command, env } = await barePython();
    const note = await text('/v1/log/checkpoint?quorum=2');
    const body = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const vectors = [
      ['w.example', '00'.repeat(32), 0, body],
      [
        '见证.example/1',
        'ab'.repeat(32),
        1_679_315_147,
        'log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n',
      ],
      ['w', '9d'.repeat(32), 2 ** 40, body],
    ] as const;
    const script = join('examples', 'verify-log.py');
    const told = execFileSync(command, ['-c', SIGNER, script], {
      env,
      input: JSON.stringify(vectors),
      encoding: 'utf8',
    });
    const ours = vectors.map(([name, seed, at, of]) => {
      const signer = new WitnessSigner(name, Buffer.from(seed, 'hex'));
      return [signer.verifierKey, signer.cosign(`${of}\n`, at).line];
    });
    expect(
      told
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(ours);

    const { id } = await rain.row<{ id: string }>(
      `select activity_id * 10000000 + packet_no as id from claim where user_id = 'w-dan'`,
    );
    const files = {
      key: await text('/v1/log/key'),
      signed: note,
      proof: JSON.stringify((await rain.user('w-dan').get(`/v1/me/packets/${id}/log-proof`)).body),
      former: await text('/v1/log/consistency?from=3&to=4'),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(path(`${name}.txt`), content);
    const check = (witnesses: readonly string[], ...names: string[]) => {
      const args = ['--user', 'w-dan', ...witnesses.flatMap((key) => ['--witness', key])];
      try {
        return execFileSync(command, [script, ...args, ...names.map((name) => path(`${name}.txt`))], {
          ...{ env, encoding: 'utf8', stdio: 'pipe' },
        });
      } catch (error) {
        return (error as { stderr: string }).stderr;
      }
    };
    const lacking =
      'REFUSED the checkpoint of 4 leaves: 2 of one.example, two.example have signed neither it nor a later one\n';
    expect(check([], 'key', 'proof')).toContain('in the log at 3');
    expect(check(keys, 'key', 'proof', 'signed', 'former')).toBe(lacking);
    for (const name of NAMES) expect(await witness(name, `${name}-kept`)).toMatchObject({ code: 0 });
    writeFileSync(path('later.txt'), await text('/v1/log/checkpoint?quorum=2'));
    expect(check(keys, 'key', 'proof', 'signed', 'later', 'former')).toContain(
      'checkpoint of 4 leaves: signed by one.example, two.example\n',
    );
    writeFileSync(path('former.txt'), '');
    expect(check(keys, 'key', 'later', 'proof')).toContain('in the log at 3');
    expect(check([...keys, ours[0]![0]!], 'key', 'later', 'proof')).toContain(
      '3 of one.example, two.example, w.example',
    );
  });

  it('are signed again after a restart of the witness, from what it has kept', async () => {
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 of them new'),
    });
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 0,
      output: expect.stringContaining('signed: 4 leaves'),
    });
    rmSync(path('one'));
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 0,
      output: expect.stringContaining('4 of them new'),
    });
    writeFileSync(path('one'), readFileSync(path('one'), 'utf8').slice(0, 99));
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 2,
      output: expect.stringContaining('it is torn'),
    });
    rmSync(path('one'));
    const key = (await text('/v1/log/key')).trim();
    const options = ['--url', rain.url, '--key', key, '--witness-key', path(NAMES[0]), '--once'];
    const unnamed = await runMonitor(...options);
    expect(unnamed).toMatchObject({ code: 0, output: expect.stringContaining('4 of them new') });
    expect(existsSync(path(`${NAMES[0]}.log.json`))).toBe(true);
  });

  it('are reported as missing, with exit code 3, if a server refuses only the requests for them', async () => {
    const server = createServer((request, response) => {
      if (request.url!.includes('quorum')) return void response.writeHead(503).end();
      void text(request.url!).then((body) => response.end(body));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = ['--url', url, '--keep', path('withheld'), '--witness', keys[0]!, '--witness-lag', '0'];
    expect(await runMonitor(...options)).toMatchObject({
      code: 3,
      output: expect.stringContaining('UNWITNESSED whether 1 of one.example have signed cannot be read'),
    });
    server.close();
  });

  it('are not signed if the clock of the witness was set back', async () => {
    const record = path(`${NAMES[0]}.signed`);
    const [file] = readdirSync(record) as [string];
    const was = readFileSync(join(record, file), 'utf8');
    writeFileSync(
      join(record, file),
      was.replace(/"at": (\d+)/, (_, at) => `"at": ${Number(at) + 3600}`),
    );
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 2,
      output: expect.stringContaining('Set the clock right.'),
    });
    writeFileSync(join(record, file), was);
    expect(await witness(NAMES[0], 'one')).toMatchObject({ code: 0 });
  });

  it('are signed for only one of two servers that show different logs with the same key', async () => {
    const { value } = await rain.row<{ value: string }>(
      `select value from setting where name = 'installation'`,
    );
    const fork = await Installation.start(async (database) => {
      const postgres = new Client({ connectionString: database.url });
      await postgres.connect();
      await postgres.query(`insert into setting (name, value) values ('installation', $1)`, [value]);
      await postgres.end();
      return { CLAIM_LOG_KEY, CLAIM_LOG_WITNESSES: keys.join(',') };
    });
    try {
      await fork.startWorker();
      await win(fork, await open(fork), 'w-eve', 'w-fay', 'w-gus', 'w-hal', 'w-ida');
      expect(await text('/v1/log/key', fork.url)).toBe(await text('/v1/log/key'));
      expect(await runMonitor('--url', fork.url, '--keep', path('unsuspecting'), '--once')).toMatchObject({
        code: 0,
      });
      expect(await witness(NAMES[0], 'fork', fork.url)).toMatchObject({
        code: 1,
        output: expect.stringMatching(
          /REWRITTEN The tree of 5 leaves does not begin with the 4 that this key has signed/,
        ),
      });
      expect(existsSync(path('fork'))).toBe(false);
      const [saved] = readdirSync(directory).filter((file) => file.startsWith('fork.fork-')) as [string];
      const notes = readFileSync(path(saved), 'utf8');
      expect(notes).toContain(await text('/v1/log/checkpoint-to-cosign', fork.url));
      expect(notes.match(/^— /gm)).toHaveLength(2);
      expect((await fetch(`${fork.url}/v1/log/checkpoint?quorum=1`)).status).toBe(404);
      const demand = ['--keep', path('unsuspecting'), '--once', '--witness', keys[0]!];
      expect(await runMonitor('--url', fork.url, ...demand)).toMatchObject({
        code: 3,
        output: expect.stringContaining('UNWITNESSED 1 of one.example'),
      });
    } finally {
      await fork.stop();
    }
  });

  it('show no line of a witness that was removed from the setting', async () => {
    expect(await witness(NAMES[1], 'two')).toMatchObject({ code: 0 });
    expect(signersOf(await text('/v1/log/checkpoint?quorum=2'))).toEqual(NAMES);
    const { program, url } = await rain.startAnother('main.js', { CLAIM_LOG_WITNESSES: keys[1] });
    const note = await text('/v1/log/checkpoint?quorum=1', url);
    expect(signersOf(note)).toEqual(['two.example']);
    expect((await fetch(`${url}/v1/log/checkpoint?quorum=2`)).status).toBe(404);
    const line = (await text('/v1/log/checkpoint'))
      .split('\n')
      .find((one) => one.startsWith('— one.example'));
    expect(await handIn({ size: 4, cosignature: line }, url)).toMatchObject({ status: 403 });
    await program.stop();
  });

  it('are not signed after Postgres was restored, even by a witness that has lost its copy', async () => {
    await rain.pauseWorker();
    for (const table of ['claim_checkpoint', 'claim_cosignature'])
      await rain.sql(`delete from ${table} where tree_size > 2`);
    for (const table of ['claim_leaf', 'claim_salt'])
      await rain.sql(`delete from ${table} where leaf_index >= 2`);
    await due(rain, 2);
    expect(await witness(NAMES[0], 'one')).toMatchObject({
      code: 1,
      output: expect.stringContaining('Postgres was restored'),
    });
    expect(await witness(NAMES[0], 'new')).toMatchObject({
      code: 2,
      output: expect.stringContaining(
        'Nothing is signed: the log shows 2 leaves, and this key has signed 4.',
      ),
    });
    rain.resumeWorker();
    await win(rain, activityId, 'w-jim');
    expect(await witness(NAMES[0], 'new')).toMatchObject({
      code: 1,
      output: expect.stringContaining('history has a fork'),
    });
  });
});
