import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DataDirLock } from '../../src/dev/local/running';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { JWT_SECRET } from '../harness/installation';
import { rain } from '../harness/shared-installation';

const PROGRAM = [resolve('dist', 'src', 'commands', 'admin.js')];
const BESIDE_START = [resolve('dist', 'src', 'dev', 'operate.js'), 'admin'];
const OPERATOR = signToken({ secret: JWT_SECRET }, { sub: 'operator', role: 'operator' });

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the command line of operators', () => {
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'hongbao-admin-'));
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  const start = (
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    program: readonly string[] = PROGRAM,
  ): Promise<Ended> =>
    new Promise((end) => {
      const settings = { PATH: process.env.PATH, LOCAL_DIR: directory, ...env };
      execFile(
        process.execPath,
        [...program, ...args],
        { env: settings, cwd: directory },
        (error, stdout, stderr) => end({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });

  const admin = (...args: string[]) => start(args, { HONGBAO_URL: rain.url, HONGBAO_TOKEN: OPERATOR });

  async function told(...args: string[]) {
    const { code, stdout, stderr } = await admin(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  const create = (sponsor: string, ...options: string[]) =>
    told(
      ...['activities', 'create', '--name', 'Team lunch', '--sponsor', sponsor],
      ...['--total', '20.00', '--packets', '2', '--closes', inAnHour(), ...options],
    );

  it('runs a whole rain, from the deposit to the proof', async () => {
    expect(
      await told('wallets', 'deposit', 'kira', '--amount', '50', '--reference', 'Transfer 7'),
    ).toMatchObject({
      balance: '50.00',
      reference: 'Transfer 7',
    });
    const { id } = await create('kira', '--equal');
    expect(await told('activities', 'show', id)).toMatchObject({ phase: 'open', sponsorId: 'kira' });
    await rain.user('ann').post(`/v1/activities/${id}/grabs`);
    await told('activities', 'top-up', id, '--amount', '4', '--packets', '2', '--min', '1.50');
    await rain.settled(id);
    expect((await told('activities', 'results', id)).items).toEqual([
      expect.objectContaining({ userId: 'ann', amount: '10.00', settlement: 'credited' }),
    ]);
    expect(await told('activities', 'close', id)).toMatchObject({ cancelled: false });
    expect(await told('activities', 'reconcile', id)).toMatchObject({
      verdict: 'balanced',
      refunded: '14.00',
    });
    expect((await told('activities', 'list', '--sponsor', 'kira', '--phase', 'settled')).items).toHaveLength(
      1,
    );
    const entries = await told('wallets', 'entries', 'kira', '--activity', id, '--kind', 'refund');
    expect(entries.items).toEqual([expect.objectContaining({ amount: '14.00' })]);
    expect(await told('verify', id)).toEqual({ proven: 1, archived: 0, broken: [] });
    expect((await admin('verify')).stdout).toMatch(/^\d+ activities proven, 0 broken\.\n$/);
  });

  it('splits into tiers, and cancels before the opening', async () => {
    await told('wallets', 'deposit', 'lois', '--amount', '20');
    const { id } = await create(
      'lois',
      '--tier',
      '15x1',
      '--tier',
      '5.00x1',
      '--opens',
      inAnHour(),
      '--closes',
      later(),
    );
    const packets = await rain.sql('select amount_minor from packet where activity_id = $1 order by 1', [id]);
    expect(packets).toEqual([{ amount_minor: '500' }, { amount_minor: '1500' }]);
    expect(await told('activities', 'cancel', id)).toMatchObject({ cancelled: true });
  });

  const later = () => new Date(Date.now() + 7_200_000).toISOString();

  it('finds out what became of a payout, ends it, and ends what its channel contradicts', async () => {
    const channel = { name: 'By hand', profile: { smallest: '0.01' } };
    const { id: channelId } = (await rain.operator().post('/v1/payout-channels', channel)).body;
    await told('wallets', 'deposit', 'quitter', '--amount', '5');
    const { id } = (await rain.user('quitter').post('/v1/me/payouts', { amount: '5.00', channelId })).body;
    expect((await told('payouts', 'list', '--user', 'quitter', '--state', 'reserved')).items).toMatchObject([
      { id, channelId, amount: '5.00' },
    ]);
    const retried = await admin('payouts', 'retry', id);
    expect([retried.code, retried.stderr]).toEqual([1, expect.stringContaining('payout_channel.not_called')]);
    const asked = await told('payouts', 'resolve', id, '--outcome', 'refused', '--evidence', 'Their log.');
    await rain.as('finance', 'other').post(`/v1/approvals/${asked.id}/approve`);
    expect(await told('payouts', 'show', id)).toMatchObject({ state: 'refused' });
    const shop = rain.channel(channelId);
    await shop.post('/v1/payouts/outcomes', { outcomes: [{ id, outcome: 'paid' }] });
    const [finding] = (await told('findings', 'list')).items;
    expect(finding).toMatchObject({ payoutId: id, kind: 'refused-but-paid' });
    expect(await told('findings', 'end', finding.id, '--resolution', 'Their mistake.')).toMatchObject({
      resolution: 'Their mistake.',
    });
    const ended = await admin('findings', 'end-file', '999999', '--resolution', 'Another shop.');
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('payout_statement.not_found')]);
  });

  it('freezes a wallet, and deals with the dead letters of its claims', async () => {
    const FROZEN = ['iced-1', 'iced-2', 'iced-3', 'iced-4'];
    const id = await rain.createActivity({ packetCount: 4 });
    for (const user of FROZEN)
      expect(await told('wallets', 'freeze', user)).toMatchObject({ status: 'frozen' });
    for (const user of FROZEN) await rain.user(user).post(`/v1/activities/${id}/grabs`);
    await rain.settled(id);
    const { items } = await told('dead-letters', 'list');
    const letterOf = (user: string) => items.find(({ userId }: { userId: string }) => userId === user).id;
    await told('wallets', 'unfreeze', 'iced-1');
    expect(await told('dead-letters', 'replay', letterOf('iced-1'))).toMatchObject({ status: 'replayed' });
    const resolved = await told('dead-letters', 'resolve', letterOf('iced-2'), '--reason', 'Paid by hand.');
    expect(resolved).toMatchObject({ status: 'resolved', resolution: 'Paid by hand.' });
    const voided = await told('dead-letters', 'void', letterOf('iced-3'), '--reason', 'A robot.');
    expect(voided).toMatchObject({ userId: 'iced-3' });
    await told('wallets', 'unfreeze', 'iced-4');
    expect(await told('dead-letters', 'replay-all', '--user', 'iced-4')).toEqual({ replayed: 1 });
    const [latest] = (await told('dead-letters', 'list', '--status', 'void')).items;
    expect(latest).toMatchObject({ userId: 'iced-3', status: 'void' });
    await rain.settled(id);
    expect(await told('wallets', 'show', 'iced-4')).toMatchObject({ status: 'active', pending: '0.00' });
  });

  it('shows tables to people, with the cursor of the next page', async () => {
    for (let i = 0; i < 2; i++) await rain.createActivity({ sponsorId: 'maya' });
    const { stdout } = await admin('activities', 'list', '--sponsor', 'maya', '--limit', '1');
    const [head, row, , more] = stdout.split('\n');
    expect(head).toMatch(/^id +name +phase +sponsorId +totalAmount +packetCount +closesAt$/);
    expect(row).toMatch(/^\d+ +Rain +open +maya +100\.00 +10 +\S+Z$/);
    const next = await admin(
      ...['activities', 'list', '--sponsor', 'maya'],
      ...more!.replace('More: ', '').split(' '),
    );
    expect(next.stdout).toMatch(/^id .*\n\d+ +Rain .*\n$/);
    expect((await admin('wallets', 'show', 'maya')).stdout).toMatch(
      /^ownerId +maya\nbalance +0\.00\npending +0\.00\ncurrency +CNY\n/,
    );
    expect((await admin('webhooks', 'list')).stdout).toBe('Nothing.\n');
    expect((await admin('activities', 'reconcile', '1')).stdout).toMatch(/^true +funded = total$/m);
  });

  it('prints no character that turns a line, moves the cursor or cannot be seen, and JSON of the same value', async () => {
    const name = 'Rain\u200b\u200f\u{e0041}\u3164\u2028!';
    const id = await rain.createActivity({ sponsorId: 'olga', name });
    const { stdout } = await admin('activities', 'show', id);
    expect(stdout).toMatch(/^name +Rain\?\?\?\?\?!$/m);
    const asJson = await admin('activities', 'show', id, '--json');
    expect(asJson.stdout).toContain('"name": "Rain\\u200b\\u200f\\udb40\\udc41\\u3164\\u2028!"');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ name });
    const typed = await admin('\u202edrop\u001b[2J', '\u200b');
    expect(typed.stderr).toMatch(/^There is no command \?drop\?\[2J \?\.\n/);
  });

  it('has one effect when a command is repeated with its key', async () => {
    const deposit = () => told('wallets', 'deposit', 'nina', '--amount', '1', '--key', 'deposit-of-ned');
    expect(await deposit()).toEqual(await deposit());
    expect(await told('wallets', 'show', 'nina')).toMatchObject({ balance: '1.00' });
  });

  it('ends with 1 when the API refuses, and says why with code, detail and fields', async () => {
    const refused = await admin('wallets', 'deposit', 'nina', '--amount', 'much');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^400 request\.invalid: \S.*\n {2}--amount must be .*\n {2}request \S+\n$/,
    );
    expect((await admin('activities', 'list', '--phase', 'raining')).stderr).toContain(
      '--phase must be one of',
    );
    const plan = [
      '--name',
      'x',
      '--sponsor',
      'nina',
      '--total',
      'much',
      '--packets',
      '0',
      '--closes',
      'never',
    ];
    const { stderr } = await admin('activities', 'create', ...plan, '--tier', 'fewx1');
    for (const option of ['total', 'packets', 'closes', 'tier'])
      expect(stderr).toMatch(new RegExp(`^  --${option} must be `, 'm'));
    const asJson = await admin('activities', 'show', '999999', '--json');
    expect(JSON.parse(asJson.stderr)).toMatchObject({ status: 404, code: 'activity.not_found' });
    const stranger = await admin('webhooks', 'list', '--token', rain.tokenOf('ann'));
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('403 auth.forbidden') });
    const forged = await admin('webhooks', 'list', '--token', 'x.y.z');
    expect(forged).toMatchObject({ code: 1, stderr: expect.stringContaining('401 auth.unauthenticated') });
  });

  it('ends with 1 when the books do not agree', async () => {
    const id = await rain.createActivity({ sponsorId: 'pia', packetCount: 2 });
    const amountOf = 'update packet set amount_minor = amount_minor + $2 where activity_id = $1 and no = 1';
    await rain.sql(amountOf, [id, 1]);
    const broken = await admin('verify', id);
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 activities proven, 1 broken/) });
    expect(broken.stdout).toContain('sum of packets = total');
    expect((await admin('activities', 'reconcile', id)).code).toBe(1);
    await rain.sql(amountOf, [id, -1]);
  });

  it.each<[string, string[], string]>([
    ['nothing', [], 'Usage:'],
    ['no command', ['activities', 'destroy'], 'There is no command activities destroy.'],
    ['an option that is not known', ['webhooks', 'list', '--all'], "Unknown option '--all'"],
    ['too few operands', ['activities', 'show'], 'It takes ID.'],
    ['too many operands', ['webhooks', 'list', '1'], 'It takes no operands.'],
    ['a missing option', ['wallets', 'deposit', 'nina'], '--amount is missing.'],
    ['no number', ['activities', 'list', '--limit', 'many'], '--limit must be a whole number.'],
    [
      'two ways to split',
      ['activities', 'top-up', '1', '--amount', '1', '--packets', '1', '--equal', '--min', '1'],
      'Split by',
    ],
    [
      'no export',
      ['export', 'winners', '1'],
      'What to export must be one of claims, ledger, payouts, results.',
    ],
    ['no format', ['export', 'claims', '1', '--format', 'xml'], '--format must be one of csv, ndjson.'],
    ['JSON that is none', ['export', 'claims', '1', '--json'], '--json needs --output'],
    [
      'a value that looks like an option',
      ['activities', 'list', '--sponsor', '-ann'],
      "use '--sponsor=-XYZ'",
    ],
    ['an operand that looks like an option', ['wallets', 'show', '-ann'], "after '--'"],
    ['no address', ['webhooks', 'list', '--url', 'here'], 'Name the API by HONGBAO_URL or --url'],
    [
      'an address without a scheme',
      ['webhooks', 'list', '--url', 'here:3000'],
      'Name the API by HONGBAO_URL',
    ],
    [
      'a key for an activity that opens at once',
      [
        ...[
          'activities',
          'create',
          '--name',
          'Lunch',
          '--sponsor',
          'shop',
          '--total',
          '1.00',
          '--packets',
          '1',
        ],
        ...['--closes', '2031-01-01T20:00:00Z', '--key', 'lunch'],
      ],
      '--key needs --opens',
    ],
    [
      'no token',
      ['webhooks', 'list', '--token', 'two words'],
      'Bring a token in HONGBAO_TOKEN or by --token.',
    ],
  ])('ends with 2 and the usage when it is given %s', async (_, args, line) => {
    const { code, stdout, stderr } = await admin(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr).toContain('Usage: npm run admin -- ');
  });

  it('is listed completely by npm run admin -- --help', async () => {
    const summary = await promisify(execFile)(process.execPath, [
      resolve('src/dev/launcher/run.mjs'),
      'admin',
      '--help',
    ]);
    const groups = new Map(
      Array.from(summary.stdout.matchAll(/^ {2}([a-z-]+) {2,}(.*)$/gm), ([, group, verbs]) => [
        group,
        verbs!.split(', '),
      ]),
    );
    const { stdout } = await admin('--help');
    const commands = Array.from(
      stdout.matchAll(/^ {2}([a-z][a-z-]+)(?: ([a-z][a-z-]+))?(?: [A-Z[]\S*| claims\|\S+)* {2}/gm),
    );
    expect(commands.length).toBeGreaterThan(20);
    for (const [, group, verb] of commands)
      expect([group, groups.get(group)]).toEqual([
        group,
        verb === undefined ? expect.anything() : expect.arrayContaining([verb]),
      ]);
  });

  it('lists its commands, and says how each is used', async () => {
    const { code, stdout } = await admin('--help');
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}[a-z]\S+( \S+)* {2}/gm)!.length).toBeGreaterThan(20);
    for (const words of ['activities create', 'dead-letters void', 'verify', 'export']) {
      expect(stdout).toContain(`  ${words}`);
      const help = await admin(...words.split(' '), '--help');
      expect([help.code, help.stdout.split('\n')[0]]).toEqual([0, expect.stringContaining(words)]);
    }
  });

  it('accepts users as identity providers name them, except names that are steps in a path', async () => {
    const shownOf = async (user: string) =>
      JSON.parse((await admin('wallets', 'freeze', '--json', '--', user)).stdout);
    for (const user of ['auth0|5f7c', 'https://id.example/users/7?tenant=a#me', '-ann', '--help', '--json'])
      expect(await shownOf(user)).toMatchObject({ ownerId: user });
    expect((await told('activities', 'list', '--sponsor=-ann')).items).toEqual([]);
    expect(await admin('dead-letters', 'replay', '.')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'id cannot be "." in a path.\n',
    });
  });

  it('says that no server answers when there is none', async () => {
    const { code, stderr } = await start(['webhooks', 'list'], {
      HONGBAO_URL: 'http://127.0.0.1:1',
      HONGBAO_TOKEN: OPERATOR,
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 does not answer: \S.*\n$/),
    ]);
    expect(await start(['webhooks', 'list'], { HONGBAO_URL: rain.url })).toMatchObject({ code: 2 });
  });

  it('finds the system on this machine by itself, and gives its token to no other server', async () => {
    const lock = await DataDirLock.take(directory);
    const { url: apiUrl } = rain;
    lock.announce({ apiUrl, workerUrl: '', databaseUrl: '', redisUrl: '' });
    writeFileSync(join(directory, 'jwt-secret'), JWT_SECRET);
    try {
      const list = ['webhooks', 'list'];
      expect((await start(list, {}, BESIDE_START)).code).toBe(0);
      expect((await start([...list, '--url', apiUrl], {}, BESIDE_START)).code).toBe(0);
      const unanswered = 'http://127.0.0.1:1';
      for (const elsewhere of [
        await start(list, { HONGBAO_URL: unanswered }, BESIDE_START),
        await start([...list, `--url=${unanswered}`], {}, BESIDE_START),
      ])
        expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('Bring a token') });
    } finally {
      lock.release();
    }
  });

  describe('an export by the command line', () => {
    let id: string;
    const file = () => join(directory, 'claims.txt');

    beforeAll(async () => {
      id = await rain.createActivity({ sponsorId: 'uma', packetCount: 2 });
      for (const user of ['ann', 'bob']) await rain.user(user).post(`/v1/activities/${id}/grabs`);
    });
    afterEach(() => rmSync(file(), { force: true }));

    it('writes the answer of the API to standard output or to a file', async () => {
      const { code, stdout } = await admin('export', 'claims', id);
      expect([code, stdout.split('\r\n')]).toEqual([
        0,
        [expect.stringMatching(/^claimId,redPacketId,userId/), expect.any(String), expect.any(String), ''],
      ]);
      const written = await admin('export', 'ledger', id, '--format', 'ndjson', '--output', file());
      expect(written).toMatchObject({ code: 0, stdout: `Wrote ${file()}.\n` });
      expect(readFileSync(file(), 'utf8')).toMatch(/^\{"transferId".*\n(.*\n)*\{"end":true,"rows":\d+\}\n$/);
    });

    it('writes no file when the API refuses it', async () => {
      const refused = await admin('export', 'results', id, '--output', file());
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('409 activity.not_ended') });
      expect(existsSync(file())).toBe(false);
    });

    describe('an export from a server that breaks off', () => {
      let server: Server;
      let isCut: boolean;

      beforeAll(async () => {
        server = createServer(({ headers }, response) => {
          response.setHeader('content-type', headers.accept!);
          response.write('{"claimId":"1"}\n');
          if (isCut) setImmediate(() => response.destroy());
          else response.end();
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
      });
      afterAll(() => server.close());

      it.each([
        ['in the middle of its answer', true, 'csv'],
        ['in the middle of its answer', true, 'ndjson'],
        ['before the last line', false, 'ndjson'],
      ])('%s, leaves no file behind (%s, %s)', async (_, cut, format) => {
        isCut = cut;
        const { port } = server.address() as AddressInfo;
        const args = ['export', 'claims', '1', '--format', format, '--output', file()];
        const { code, stderr } = await start(args, {
          HONGBAO_URL: `http://127.0.0.1:${port}`,
          HONGBAO_TOKEN: OPERATOR,
        });
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^The export is not whole: /)]);
        expect(readdirSync(directory).filter((name) => name.startsWith('claims'))).toEqual([]);
      });
    });
  });
});
