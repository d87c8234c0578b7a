import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CheckpointSigner, claimLeafHash, openCheckpoint, WitnessSigner } from '../../libs/claim-log';
import { Batch, batchTerms } from '../../libs/split';
import type { DistributedProgram } from '../../src/dev/engines';
import { runCommand } from '../harness/command-line';
import { barePython } from '../harness/distributed';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';

const SCRIPT = join('examples', 'verify-evidence.py');

/** Reads a file, and prints what the checker says of it with the bytes at these places changed, one after the other. */
const DRIVER = `
import importlib.util as u, json, sys
spec = u.spec_from_file_location("script", sys.argv[1]); script = u.module_from_spec(spec); spec.loader.exec_module(script)
data, places = bytearray(open(sys.argv[2], "rb").read()), json.load(sys.stdin)
for place in places:
    for mask in (1, 128):
        data[place] ^= mask
        try: script.check(bytes(data)); print(place, "accepted")
        except script.REFUSALS as error: print(place, error)
        data[place] ^= mask
`;
const BLOCK = 512;
const WITNESS = new WitnessSigner('witness.example/w1', Buffer.alloc(32, 4));
const SEED = '5e'.repeat(32);
/** One has the same id as a claim. */
const PLAYERS = ['ev-ann', '1', 'ev-robot'];

type Edit = (text: string) => string;

const replaced =
  (from: RegExp, to: string | ((part: string, ...groups: string[]) => string)): Edit =>
  (text) =>
    text.replace(from, to as string);

describe('the evidence of an activity', () => {
  const directory = ownDirectory('evidence');
  let python: DistributedProgram;
  let rain: Installation;
  let id: string;
  let file: string;

  beforeAll(async () => {
    python = await barePython();
    rain = await Installation.startWithWorker({
      CLAIM_LOG_KEY: Buffer.alloc(32, 3).toString('base64'),
      CLAIM_LOG_WITNESSES: WITNESS.verifierKey,
    });
    id = await endedRain();
    file = join(directory, 'rain.tar');
    expect(await evidence(id, file, '--quorum', '1', '--of', 'nobody.example')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('log.not_cosigned'),
    });
    expect(await evidence(id, file, '--of', 'witness.example/w1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --quorum'),
    });
    const signed = ['--quorum', '1', '--of', 'witness.example/w1'];
    expect(await evidence(id, file, ...signed)).toMatchObject({ code: 0, stderr: '' });
  });

  afterAll(() => rain.stop());

  const evidence = (activityId: string, out: string, ...options: string[]) =>
    runCommand(['evidence', activityId, '--out', out, ...options], {
      HONGBAO_URL: rain.url,
      HONGBAO_TOKEN: rain.tokenOf('op1', 'operator'),
    });

  /**
   * A rain drawn with a word of the sponsor. Of six packets, two are won and paid out by a channel, one of them after a
   * hold; one is void and was replaced, and one came with a top-up.
   */
  async function endedRain(): Promise<string> {
    const operator = rain.operator();
    const channel = { name: 'Evidence', profile: { smallest: '0.01' } };
    const { id: channelId } = (await operator.post('/v1/payout-channels', channel)).body;
    const sums = { sponsorId: 'ev-gwen', packetCount: 4, totalAmount: '40.00' };
    const { commitment } = (await operator.post('/v1/commitments')).body;
    const word = { commitment, sponsorSeed: 'c3'.repeat(32) };
    const activityId = await rain.createActivity({ ...sums, ...word, payout: { channelId } });
    await operator.post('/v1/wallets/ev-gwen/deposits', { amount: '8.00' });
    await operator.post(`/v1/activities/${activityId}/top-ups`, { amount: '8.00', packetCount: 1 });
    for (const user of ['1', 'ev-robot']) await operator.post(`/v1/wallets/${user}/freeze`);
    for (const user of PLAYERS) await rain.win(activityId, user);
    await rain.settled(activityId);
    const letterOf = async (user: string): Promise<{ id: string; claimId: string }> =>
      (await operator.get(`/v1/dead-letters?activityId=${activityId}&userId=${user}`)).body.items[0];
    // A line separator, which JSON does not escape.
    const { id: robot } = await letterOf('ev-robot');
    await operator.post(`/v1/dead-letters/${robot}/void`, { reason: 'A robot.\u2028Really.' });
    await released(await letterOf('1'));
    await rain.settled(activityId);
    const sent = `select from payout_credit where activity_id = ${activityId} and payout_id is not null`;
    await waitFor(async () => (await rain.sql(sent)).length === 2, { what: 'the payouts of both' });
    expect((await operator.post(`/v1/activities/${activityId}/close`)).status).toBe(200);
    await waitFor(
      async () => (await rain.sql(`select from claim_leaf where activity_id = ${activityId}`)).length === 3,
      { what: 'the wins in the log' },
    );
    await witnessed();
    return activityId;
  }

  /** As if staff had held the win in the moment before it was paid. */
  async function released({ id: letterId, claimId }: { id: string; claimId: string }): Promise<void> {
    await rain.sql(`update dead_letter set reason = 'held', last_error = 'Odd taps.' where id = ${letterId}`);
    const operator = rain.operator();
    for (const path of ['wallets/1/unfreeze', `claims/${claimId}/release`])
      expect(await operator.post(`/v1/${path}`)).toMatchObject({ status: 200 });
  }

  /** A witness signs the checkpoint of three leaves. */
  async function witnessed(): Promise<void> {
    const route = `${rain.url}/v1/log`;
    let note = '';
    const isShown = async () => (note = await (await fetch(`${route}/checkpoint`)).text()).includes('\n3\n');
    await waitFor(isShown, { what: 'a checkpoint of three leaves' });
    const cosignature = WITNESS.cosign(note, Math.floor(Date.now() / 1000)).line;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ size: 3, cosignature });
    expect((await fetch(`${route}/cosignatures`, { method: 'POST', headers, body })).status).toBe(200);
  }

  const check = (...args: string[]) =>
    spawnSync(python.command, [SCRIPT, ...args], { env: python.env, encoding: 'utf8' });

  /** The files of an archive, by their names. */
  function filesOf(archive: Buffer): Map<string, { at: number; text: string }> {
    const files = new Map<string, { at: number; text: string }>();
    for (let at = 0; archive[at] !== 0;) {
      const name = archive.toString('utf8', at, at + 100).replace(/\0.*/s, '');
      const size = parseInt(archive.toString('latin1', at + 124, at + 135), 8);
      files.set(name, { at, text: archive.toString('utf8', at + BLOCK, at + BLOCK + size) });
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    }
    return files;
  }

  it('is checked without this system: amounts, wins, money and the log', () => {
    const { status, stdout, stderr } = check(file);
    expect([stderr, status]).toEqual(['', 0]);
    for (const line of [
      '6 packets, 3 of them won, each by somebody else',
      'the amounts of 6 packets are those that were drawn',
      '3 wins are those of the packets',
      'what was put in is what came out: 2 credits',
      '3 wins are in the log of claims',
    ])
      expect(stdout.split('\n')).toContain(line);
  });

  it('of a rain that a former release has drawn, and this one has added to, has the packets that its seeds draw', async () => {
    const sponsorId = 'ev-former';
    const plan = { sponsorId, totalAmount: '3.00', packetCount: 3, split: { kind: 'equal' } };
    const former = await rain.createActivity(plan);
    await rain.sql('alter table packet_batch disable trigger append_only');
    await rain.sql(`delete from packet_batch where activity_id = ${former}`);
    await rain.sql('alter table packet_batch enable trigger append_only');
    await rain.sql(`update activity set batches = 0 where id = ${former}`);
    await rain.deposit(sponsorId, '1.00');
    const more = { amount: '1.00', packetCount: 1 };
    expect((await rain.operator().post(`/v1/activities/${former}/top-ups`, more)).status).toBe(201);
    expect((await rain.closeActivity(former)).status).toBe(200);
    const archive = join(directory, 'former.tar');
    expect(await evidence(former, archive)).toMatchObject({ code: 0 });
    const { status, stdout, stderr } = check(archive);
    expect([stderr, status]).toEqual(['', 0]);
    expect(stdout).toContain('version 1, without a commitment; its seed draws 3 packets of 3.00');
    expect(stdout.split('\n')).toContain('the amounts of 4 packets are those that were drawn');
  });

  it('shows who has signed the log, and is refused if a required witness has not', () => {
    const { verifierKey } = WITNESS;
    const other = new WitnessSigner('other.example', Buffer.alloc(32, 5)).verifierKey;
    const log = new CheckpointSigner('log.example', Buffer.alloc(32, 5)).verifierKey;
    const note = filesOf(readFileSync(file)).get('log-checkpoint.txt')!.text;
    const logKey = filesOf(readFileSync(file)).get('log-key.txt')!.text.trim();
    expect(openCheckpoint(note, logKey)).toMatchObject({ size: 3 });
    const told = check(file, '--witness', verifierKey);
    expect(told.stdout.split('\n')).toContain('checkpoint of 3 leaves: signed by witness.example/w1');
    expect(check('--witness', other, '--witness', verifierKey, '--require', '1', file)).toMatchObject({
      status: 0,
    });
    expect(check(file, '--witness', verifierKey, '--witness', other)).toMatchObject({
      status: 1,
      stderr:
        'REFUSED the checkpoint of 3 leaves: 2 of witness.example/w1, other.example have signed neither it nor a later one\n',
    });
    expect(check(file, '--witness', log).stderr).toBe('REFUSED log.example: no key of a witness\n');
    expect(check(file, '--witness', verifierKey, '--require', '2').stderr).toContain('REFUSED each witness');
    expect(check(file, '--require', '1').stderr).toContain('REFUSED each witness');
    expect(check(file, '--witnesses', verifierKey).stderr).toBe('REFUSED there is no option --witnesses\n');
  });

  it('can be opened by any tar, and says what was done and why', () => {
    execFileSync('tar', ['-xf', file, '-C', directory]);
    const notices = readFileSync(join(directory, 'notices.ndjson'), 'utf8');
    for (const said of ['activity.create', 'activity.top-up', 'activity.close', 'A robot.', 'Odd taps.'])
      expect(notices).toContain(said);
    const [held] = notices
      .split('\n')
      .filter((line) => line.includes('Odd taps.'))
      .map((line) => JSON.parse(line) as object);
    expect(held).toMatchObject({
      reason: 'held',
      status: 'replayed',
      userId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(readFileSync(join(directory, 'payouts.ndjson'), 'utf8').split('\n')).toHaveLength(3);
    expect(readFileSync(join(directory, 'taps.ndjson'), 'utf8')).toContain('"stepSeconds"');
  });

  it('names only the sponsor; only those who have the key can find out what a person has won', () => {
    const archive = readFileSync(file, 'latin1');
    for (const person of ['ev-ann', 'ev-robot', 'op1']) expect(archive).not.toContain(person);
    expect(archive).toContain('ev-gwen');
    const keyFile = `${file}.key.json`;
    expect([file, keyFile].map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(check(file, '--key', keyFile, '--user', 'ev-ann').stdout).toMatch(
      /\npacket \d+: \d+\.\d\d, (sent|paid)\n$/,
    );
    expect(check(file, '--key', keyFile, '--user', 'ev-carl').stdout).toContain('and has won nothing');
    const { archive: of, key } = JSON.parse(readFileSync(keyFile, 'utf8')) as {
      archive: string;
      key: string;
    };
    const other = join(directory, 'other-key.json');
    writeFileSync(
      other,
      JSON.stringify({ archive: of, key: key.replace(/^./, (c) => (c === '0' ? '1' : '0')) }),
    );
    expect(check(file, '--key', other, '--user', 'ev-ann').stderr).toBe(
      'REFUSED the key is not the one of these pseudonyms\n',
    );
  });

  it('is refused if any byte is changed, with the name of the file', () => {
    const archive = readFileSync(file);
    const files = filesOf(archive);
    const input = JSON.stringify(Array.from(archive.keys()));
    const output = execFileSync(python.command, ['-c', DRIVER, SCRIPT, file], {
      ...{ input, env: python.env, encoding: 'utf8', maxBuffer: 2 ** 26 },
    });
    const told = output.trim().split('\n');
    expect(told).toHaveLength(2 * archive.length);
    expect(told.filter((line) => /accepted$|invalid literal|codec/.test(line))).toEqual([]);
    const inPackets = files.get('packets.ndjson')!.at + BLOCK + 3;
    writeFileSync(join(directory, 'bad.tar'), archive.with(inPackets, archive[inPackets]! ^ 1));
    expect(check(join(directory, 'bad.tar')).stderr).toBe('REFUSED packets.ndjson was changed\n');
  });

  it.each<[what: string, file: string, edit: Edit, refusal: RegExp]>([
    [
      'another amount',
      'packets.ndjson',
      replaced(/"amount":"(\d)/, (_, digit) => `"amount":"${digit === '9' ? 8 : 9}`),
      /another amount than was drawn/,
    ],
    [
      'another winner of a packet',
      'packets.ndjson',
      replaced(/"userId":"\w{8}/, '"userId":"00000000'),
      /is not what packets/,
    ],
    [
      'a packet left out',
      'packets.ndjson',
      replaced(/^.*unclaimed.*\n/m, ''),
      /other packets than were drawn/,
    ],
    [
      'another number for a packet that nobody won',
      'packets.ndjson',
      replaced(/\d{7}(","amount":"[^"]*","currency":"CNY","outcome":"unclaimed")/, '9999999$1'),
      /other packets than were drawn/,
    ],
    ['a packet twice', 'packets.ndjson', replaced(/^.*\n/, '$&$&'), /a packet occurs twice/],
    [
      'a packet given to another winner',
      'packets.ndjson',
      replaced(/("userId":"\w+")(.*?)"userId":"\w+"/s, '$1$2$1'),
      /somebody has two packets/,
    ],
    ['a win left out', 'claims.ndjson', replaced(/^.*\n/, ''), /other wins/],
    ['a win in place of another', 'claims.ndjson', replaced(/^(.*\n).*\n/, '$1$1'), /other wins/],
    [
      'the id of another win',
      'claims.ndjson',
      replaced(/("claimId":"\d+")(.*?)"claimId":"\d+"/s, '$1$2$1'),
      /two wins have one claimId/,
    ],
    ['a credit left out', 'ledger.ndjson', replaced(/^.*"credit".*\n/m, ''), /other claims are paid/],
    ['a credit twice', 'ledger.ndjson', replaced(/^.*"credit".*\n/m, '$&$&'), /is paid twice/],
    [
      'another sum from the sponsor',
      'ledger.ndjson',
      replaced(/("kind":"fund".*?"amount":")(?=\d)/, '$19'),
      /not what the packets hold/,
    ],
    [
      'another refund to the sponsor',
      'ledger.ndjson',
      replaced(/("kind":"refund".*?"amount":")(?=\d)/, '$19'),
      /more came out than was put in/,
    ],
    ['the id of another activity', 'activity.json', replaced(/^ {2}"id": "/m, '$&9'), /another activity/],
    [
      'a credit to somebody else',
      'ledger.ndjson',
      replaced(/"to":"wallet:\w{8}(?=.*claimId":")/, '"to":"wallet:00000000'),
      /does not pay its claim/,
    ],
    [
      'a payout of another amount',
      'payouts.ndjson',
      replaced(/"amount":"(\d)/, (_, digit) => `"amount":"${digit === '9' ? 8 : 9}`),
      /is not of its credit/,
    ],
    ['another seed', 'fairness-1.json', replaced(/"seed": "../, '"seed": "00'), /another (seed|commitment)/],
    [
      'an edited leaf of the log',
      'log-leaves.ndjson',
      replaced(/"user":"../, '"user":"00'),
      /do not lead to the root/,
    ],
    [
      'a leaf left out',
      'log-leaves.ndjson',
      (text) => text.replace(/^.*\n/, '').replaceAll(/"user":"../g, '"user":"00'),
      /are not the 3 leaves of the checkpoint, each once/,
    ],
    [
      'a leaf added',
      'log-leaves.ndjson',
      (text) => text + text.replace(/^(.*\n)*(?=.)/, '').replace(/"index":\d+/, '"index":3'),
      /are not the 3 leaves of the checkpoint, each once/,
    ],
    [
      'an edited leaf before the real one',
      'log-leaves.ndjson',
      replaced(/^.*\n/, (line) => line.replace(/"user":"../, '"user":"00') + line),
      /are not the 3 leaves of the checkpoint, each once/,
    ],
    [
      'a leaf with the hash of another',
      'log-leaves.ndjson',
      replaced(/^{/, `{"hash":"${'0'.repeat(64)}",`),
      /both a hash and/,
    ],
    [
      'an edited checkpoint',
      'log-checkpoint.txt',
      replaced(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`),
      /is not signed/,
    ],
    [
      'an edited signature of a witness',
      'log-checkpoint.txt',
      replaced(/(w1 \S{80})(.)/, (_, before, at) => `${before}${at === 'A' ? 'B' : 'A'}`),
      /is not signed by witness.example\/w1, as it says/,
    ],
  ])('is refused even if all hashes were recomputed: %s', (_, name, edit, refusal) => {
    expect(check(forge({ [name]: edit }), '--witness', WITNESS.verifierKey)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(refusal),
    });
  });

  type Edits = Readonly<Record<string, Edit>>;

  /** Writes the archive with these files edited and all hashes recomputed. */
  function forge(edits: Edits): string {
    const texts = new Map([...filesOf(readFileSync(file))].map(([name, { text }]) => [name, text]));
    for (const [name, edit] of Object.entries(edits)) {
      const text = texts.get(name) ?? '';
      texts.set(name, edit(text));
      expect(texts.get(name)).not.toBe(text);
    }
    const forged = join(directory, 'forged.tar');
    writeFileSync(forged, rebuilt(texts));
    return forged;
  }

  /** What someone who knows the format would write. */
  function rebuilt(texts: ReadonlyMap<string, string>): Buffer {
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    const manifest = JSON.parse(texts.get('manifest.json')!);
    const others = [...texts].filter(([name]) => !name.startsWith('manifest.'));
    manifest.files = others.map(([name, text]) => {
      return { name, bytes: Buffer.byteLength(text), sha256: hashOf(text) };
    });
    const listed = JSON.stringify(manifest);
    const all = [...others, ['manifest.json', listed], ['manifest.sha256', `${hashOf(listed)}\n`]];
    const script = `
import importlib.util as u, json, sys
spec = u.spec_from_file_location("script", sys.argv[1]); script = u.module_from_spec(spec); spec.loader.exec_module(script)
for name, text in json.load(sys.stdin):
    data = text.encode(); sys.stdout.buffer.write(script.header(name, len(data)) + data + bytes(-len(data) % 512))
sys.stdout.buffer.write(bytes(1024))`;
    return execFileSync(python.command, ['-c', script, SCRIPT], {
      input: JSON.stringify(all),
      env: python.env,
    });
  }

  it('is refused with a batch of another activity, or a batch that draws packets again', () => {
    const page = (activityId: string) => {
      const place = { activityId, batchNo: 9, previous: '5'.repeat(64) };
      const split = { totalMinor: 999n, packetCount: 1, plan: { kind: 'equal' } } as const;
      const terms = batchTerms(place, split, { code: 'CNY', digits: 2 });
      const batch = new Batch(SEED, terms, 1);
      const [commit, root] = [batch.commit, batch.tree(batch.amounts()).root].map((hash) =>
        hash.toString('hex'),
      );
      const batches = [{ batch: '9', firstNo: '1', terms, commit, root, seed: SEED }];
      return { 'fairness-2.json': () => JSON.stringify({ batches, nextCursor: null }) };
    };
    expect(check(forge(page(id))).stderr).toContain('batch 9 has packets of another batch');
    expect(check(forge(page('404404'))).stderr).toBe(
      'REFUSED fairness-2.json: a batch of another activity\n',
    );
  });

  describe('a win', () => {
    type Row = Record<string, string | null>;
    const ndjson = (text: string): Row[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Row);
    const rowsOf = (name: string) => ndjson(filesOf(readFileSync(file)).get(name)!.text);
    const edited = (edit: (rows: Row[]) => object[]) => (text: string) =>
      edit(ndjson(text))
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('');
    const winner = (redPacketId: string, userId: string | null) =>
      edited((rows) => rows.map((row) => (row.redPacketId === redPacketId ? { ...row, userId } : row)));
    const paid = () => rowsOf('claims.ndjson').find(({ creditedAt }) => creditedAt !== null)!;

    /** The edits that take a paid win out of every file but the log. */
    function erased(): Edits {
      const { claimId, redPacketId } = paid();
      const without = edited((rows) => rows.filter((row) => row.claimId !== claimId));
      return {
        ...{ 'claims.ndjson': without, 'ledger.ndjson': without, 'payouts.ndjson': without },
        'packets.ndjson': winner(redPacketId!, null),
      };
    }

    it('that is taken out of all files is found in the log', () => {
      expect(check(forge(erased())).stderr).toBe(
        'REFUSED log-leaves.ndjson: a win is in the log and not in claims.ndjson\n',
      );
    });

    it('that was invented is not in the log', () => {
      const { redPacketId, amount } = rowsOf('packets.ndjson').find(({ userId }) => userId === null)!;
      const made = { claimId: '999999', redPacketId, userId: 'f'.repeat(32), amount, creditedAt: null };
      const edits = {
        'claims.ndjson': edited((rows) => [...rows, made]),
        'packets.ndjson': winner(redPacketId!, made.userId),
      };
      expect(check(forge(edits)).stderr).toBe('REFUSED log-leaves.ndjson: claim 999999 is not in the log\n');
    });

    it('that is taken out of all files may hide among the hashes of the log, and the checker says so', () => {
      const no = String(Number(paid().redPacketId) % 10_000_000);
      const hidden = edited((rows) =>
        rows.map((row) => (row.no === no ? { index: row.index, hash: hashOf(row) } : row)),
      );
      expect(check(forge({ ...erased(), 'log-leaves.ndjson': hidden })).stdout).toContain(
        '\n2 wins are in the log of claims, and whether any others are among its 1 hashes is not checked\n',
      );
    });

    const hashOf = ({ activityId, no, user, confirmedAtMicros }: Row): string =>
      claimLeafHash({
        ...{ activityId: activityId!, packetNo: Number(no), userHash: Buffer.from(user!, 'hex') },
        confirmedAtMicros: BigInt(confirmedAtMicros!),
      }).toString('hex');
  });

  it('is refused with a file twice, or in another order', () => {
    const archive = readFileSync(file);
    const at = [...filesOf(archive).values()].map((one) => one.at);
    const [first, second, rest] = [
      archive.subarray(at[0], at[1]),
      archive.subarray(at[1], at[2]),
      archive.subarray(at[2]),
    ];
    const odd = join(directory, 'odd.tar');
    for (const [parts, refusal] of [
      [[second, first, second, rest], /occurs twice/],
      [[second, first, rest], /in another order/],
    ] as const) {
      writeFileSync(odd, Buffer.concat(parts));
      expect(check(odd)).toMatchObject({ status: 1, stderr: expect.stringMatching(refusal) });
    }
  });

  it('is neither overwritten nor left half written, and does not exist while the activity is running', async () => {
    const before = readFileSync(file);
    expect(await evidence(id, file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exists already'),
    });
    expect(readFileSync(file)).toEqual(before);
    const running = await rain.createActivity({ sponsorId: 'ev-gwen' });
    const out = join(directory, 'running.tar');
    expect(await evidence(running, out)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^409 /) });
    expect(await evidence('404404', out)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^404 /) });
    expect(await evidence(id, join(directory, 'nowhere', 'x.tar'))).toMatchObject({ code: 1 });
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(directory).filter((name) => name.startsWith('.evidence'))).toEqual([]);
  });
});
