import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { COMMANDS } from '../../src/commands/admin/commands';
import { runCommand, typed } from '../harness/command-line';
import { ownDirectory } from '../harness/own-directory';
import { rain } from '../harness/shared-installation';

/** A PNG image of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4f50BAASvAdf+LcOSAAAAAElFTkSuQmCC';

const wordsOf = (call: string): string => call.replace(/ [<[].*/, '');

describe('the command line of operators', () => {
  const directory = ownDirectory('admin');
  const executed = new Set<string>();

  const as = (token: string, args: readonly string[], stdin?: string) => {
    const command = COMMANDS.find(({ call }) => `${args.join(' ')} `.startsWith(`${wordsOf(call)} `));
    if (command !== undefined) executed.add(command.call);
    return runCommand(args, { HONGBAO_URL: rain.url, HONGBAO_TOKEN: token }, stdin);
  };

  const operator = (args: readonly string[], stdin?: string) =>
    as(rain.tokenOf('operator', 'operator'), args, stdin);

  const admin = (...args: string[]) => operator(args);

  async function runJson(...args: string[]) {
    const { code, stdout, stderr } = await admin(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  const create = (sponsor: string, ...options: string[]) =>
    runJson(
      ...['activities', 'create', '--name', 'Team lunch', '--sponsor', sponsor],
      ...['--total', '20.00', '--packets', '2', '--closes', inAnHour(), ...options],
    );

  it('runs a whole rain, from the deposit to the proof', async () => {
    const deposit = await runJson(
      'wallets',
      'deposit',
      'kira',
      '--amount',
      '50',
      '--reference',
      'Transfer 7',
    );
    expect(deposit).toMatchObject({ balance: '50.00', reference: 'Transfer 7' });
    const { transferId } = deposit;
    expect(await runJson('transfers', 'show', transferId)).toMatchObject({ to: { ownerId: 'kira' } });
    expect((await runJson('transfers', 'deposits', '--reference', 'Transfer 7')).items).toMatchObject([
      { transferId },
    ]);
    expect((await runJson('wallets', 'list', '--owner', 'kira')).items).toMatchObject([{ balance: '50.00' }]);
    const { id } = await create('kira', '--equal');
    expect(await runJson('activities', 'show', id)).toMatchObject({ phase: 'open', sponsorId: 'kira' });
    expect((await runJson('sponsors', 'list', '--sponsor', 'kira')).items).toMatchObject([
      { inActivities: '20.00' },
    ]);
    await rain.tap(id, 'ann');
    await runJson('activities', 'top-up', id, '--amount', '4', '--packets', '2', '--min', '1.50');
    const closesAt = new Date(Date.now() + 9 * 3_600_000).toISOString();
    expect(await runJson('activities', 'extend', id, '--closes', closesAt)).toMatchObject({ closesAt });
    await rain.settled(id);
    expect((await runJson('activities', 'results', id)).items).toEqual([
      expect.objectContaining({ userId: 'ann', amount: '10.00', settlement: 'credited' }),
    ]);
    expect(await runJson('activities', 'close', id)).toMatchObject({ cancelled: false });
    expect(await runJson('activities', 'reconcile', id)).toMatchObject({
      verdict: 'balanced',
      refunded: '14.00',
    });
    expect(
      (await runJson('activities', 'list', '--sponsor', 'kira', '--phase', 'settled')).items,
    ).toHaveLength(1);
    const entries = await runJson('wallets', 'entries', 'kira', '--activity', id, '--kind', 'refund');
    expect(entries.items).toEqual([expect.objectContaining({ amount: '14.00' })]);
    const early = await admin('wallets', 'statement', 'kira', new Date().toISOString().slice(0, 10));
    expect(early).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('statement.day_not_over'),
    });
    expect(await runJson('verify', id)).toEqual({ proven: 1, archived: 0, broken: [] });
    expect((await admin('verify', id)).stdout).toBe('1 activities proven, 0 broken.\n');
  });

  it('splits into tiers, and cancels before the opening', async () => {
    await runJson('wallets', 'deposit', 'lois', '--amount', '20');
    const plan = `--tier 15x1 --tier 5.00x1 --opens ${inAnHour()} --closes ${later()}`;
    const { id } = await create('lois', ...typed(plan));
    const packets = await rain.sql('select amount_minor from packet where activity_id = $1 order by 1', [id]);
    expect(packets).toEqual([{ amount_minor: '500' }, { amount_minor: '1500' }]);
    expect(await runJson('activities', 'cancel', id)).toMatchObject({ cancelled: true });
  });

  const later = () => new Date(Date.now() + 7_200_000).toISOString();

  it('takes every term of an activity, as an option or in a file with the whole body', async () => {
    await runJson('wallets', 'deposit', 'tess', '--amount', '60');
    const { id: channel } = await runJson('channels', 'create', '--name', 'Terms', '--smallest', '0.01');
    const [wave, next, until] = [20, 40, 50].map((minutes) =>
      new Date(Date.now() + minutes * 60_000).toISOString(),
    );
    const { id } = await create(
      'tess',
      ...typed(`--opens ${wave} --wave ${wave}x1 --wave ${next}x1 --tier 15x1 --tier 5x1`),
      ...typed('--per-user 3 --per-user-per-day 2 --limit-group spring --time-zone Asia/Shanghai'),
      ...typed(`--admission ticket --channel ${channel} --payout-days 2 --best-luck --parts 1`),
      ...typed('--sender Acme --greeting 新年快乐 --taps-per-second 500'),
      ...typed('--background #700000 --foreground #ffffff --accent #ffdd88'),
    );
    const terms = {
      admission: 'ticket',
      limits: { perUser: 3, perUserPerDay: 2, group: 'spring', timeZone: 'Asia/Shanghai' },
      payout: { channelId: channel },
      pace: {
        kind: 'waves',
        waves: [
          { at: wave, count: 1 },
          { at: next, count: 1 },
        ],
      },
      theme: {
        sender: 'Acme',
        greeting: '新年快乐',
        colors: { background: '#700000', foreground: '#ffffff', accent: '#ffdd88' },
      },
      showsBestLuck: true,
      opensAt: wave,
    };
    expect(await runJson('activities', 'show', id)).toMatchObject(terms);

    const template = await runJson('activities', 'template', id);
    const again = `--body - --opens ${wave} --closes ${inAnHour()} --name Encore --even-until ${until} --json`;
    const { code, stdout, stderr } = await operator(
      ['activities', 'create', ...typed(again)],
      JSON.stringify(template),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ ...terms, name: 'Encore', pace: { kind: 'even', until } });
    const refused = await operator(
      ['activities', 'create', '--body', '-', '--min', 'few', '--payout-days', '0'],
      '{"packetCount":"two"}',
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^ {2}packetCount must be /m);
    for (const option of ['min', 'payout-days'])
      expect(refused.stderr).toMatch(new RegExp(`^  --${option} must be `, 'm'));
    for (const body of ['{', '[]', 'null'])
      expect((await operator(['activities', 'create', '--body', '-'], body)).code).toBe(2);
  });

  it('creates activities for everyone, for those with a link, for named people and for those with a password, and rotates a link', async () => {
    await rain.deposit('discreet', '10.00');
    const create = async (...options: string[]): Promise<string> => {
      const terms = ['--name', 'Lunch', '--sponsor', 'discreet', '--total', '1', '--packets', '1'];
      return (await runJson('activities', 'create', ...terms, '--closes', inAnHour(), ...options))
        .id as string;
    };
    const audienceOf = (id: string) => runJson('activities', 'audience', id);
    expect(await audienceOf(await create('--public'))).toEqual({ kind: 'public' });
    expect(await audienceOf(await create('--for', 'ann', '--for', 'bob'))).toEqual({
      kind: 'people',
      userIds: ['ann', 'bob'],
    });
    expect(await audienceOf(await create('--password', '恭喜发财'))).toEqual({
      kind: 'password',
      password: '恭喜发财',
    });
    const id = await create('--by-link');
    const { shareCode } = await audienceOf(id);
    const rotated = await runJson('activities', 'rotate-code', id, '--yes');
    expect(await audienceOf(id)).toEqual({ kind: 'link', shareCode: rotated.shareCode });
    expect(rotated.shareCode).not.toBe(shareCode);
  });

  it('previews a split, watches a rain, and changes how its page looks', async () => {
    const preview = await runJson('activities', 'preview', '--total', '10', '--packets', '4', '--equal');
    expect(preview).toMatchObject({ packets: 4, smallest: '2.50', largest: '2.50', currency: 'CNY' });
    expect((await admin('activities', 'preview', '--total', '10', '--packets', '4')).stdout).toMatch(
      /^bars\nfrom +to +packets$/m,
    );
    const id = await rain.createActivity({
      sponsorId: 'wes',
      packetCount: 1,
      totalAmount: '5.00',
      showsBestLuck: true,
    });
    for (const user of ['ann', 'bob']) await rain.tap(id, user);
    await rain.user('bob').post(`/v1/activities/${id}/waitlist`);
    expect((await runJson('waiting-list', 'list', id)).items).toEqual([{ position: 1, userId: 'bob' }]);
    expect((await admin('waiting-list', 'list', id)).stdout).toBe('position  userId\n1         bob\n');
    const logo = join(directory, 'logo.png');
    writeFileSync(logo, Buffer.from(PIXEL, 'base64'));
    const look = ['activities', 'look', id];
    expect(await runJson(...look, '--sender', 'Acme', '--logo', logo)).toMatchObject({
      theme: { sender: 'Acme' },
      logo: expect.stringContaining(id),
    });
    expect(await runJson(...look, '--drop-theme', '--drop-logo')).toMatchObject({ theme: null, logo: null });
    const progress = await admin('activities', 'progress', id);
    expect(progress.stdout).toMatch(/^packetsLeft +0$/m);
    expect((await admin('activities', 'history', id)).stdout).toMatch(/^total\.wins +1$/m);
    expect((await admin('activities', 'fairness', id)).stdout).toMatch(/^batches\nbatch +firstNo +terms\./m);
    await rain.settled(id);
    await runJson('activities', 'close', id);
    expect((await admin('activities', 'best-luck', id)).stdout).toMatch(/^user +amount\n\S+ +5\.00\n$/);
  });

  it('says before the opening what would stop a rain, in words and by its exit code', async () => {
    const id = await rain.createActivity({ opensInMs: 60_000, sponsorId: 'wilma', admission: 'ticket' });
    const stopped = await admin('activities', 'preflight', id);
    expect(stopped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^tickets +stop /m) });
    const key = await runJson('ticket-keys', 'create', '--sponsor', 'wilma');
    expect(key).toMatchObject({ sponsorId: 'wilma', secret: expect.any(String) });
    expect((await admin('activities', 'preflight', id)).stdout).toMatch(/^tickets +ok /m);
    expect((await runJson('ticket-keys', 'list', '--sponsor', 'wilma')).items).toMatchObject([
      { id: key.id },
    ]);
    expect((await admin('ticket-keys', 'delete', key.id)).stdout).toBe('Done.\n');
    expect((await runJson('ticket-keys', 'list', '--sponsor', 'wilma')).items).toEqual([]);
  });

  it('creates an activity from a commitment and the word of its sponsor', async () => {
    await runJson('wallets', 'deposit', 'wordy', '--amount', '5.00');
    const { commitment } = await runJson('commitments', 'create');
    const sponsorSeed = 'ab'.repeat(32);
    const sum = `--name Fair --sponsor wordy --total 5.00 --packets 5 --closes ${inAnHour()}`;
    const word = `--commitment ${commitment} --sponsor-seed ${sponsorSeed}`;
    const { id } = await runJson('activities', 'create', ...typed(sum), ...typed(word));
    const { batches } = await runJson('activities', 'fairness', id);
    expect(batches).toMatchObject([{ terms: { v: '3', commitment, sponsorSeed } }]);
  });

  it('brings a word of the sponsor by itself and shows it, but none with a key: a repeated command could not bring the same one', async () => {
    await runJson('wallets', 'deposit', 'worded', '--amount', '10.00');
    const sum = ['--name', 'Fair', '--sponsor', 'worded', '--total', '5.00', '--packets', '5'];
    const plan = [...sum, '--closes', inAnHour(), '--opens', new Date().toISOString()];
    const { id, commitment, sponsorSeed } = await runJson('activities', 'create', ...plan);
    const termsOf = async (of: string) => (await runJson('activities', 'fairness', of)).batches[0].terms;
    expect(await termsOf(id)).toMatchObject({ v: '3', commitment, sponsorSeed });
    expect(sponsorSeed).toMatch(/^[0-9a-f]{64}$/);
    const keyed = () => runJson('activities', 'create', ...plan, '--key', 'worded-once');
    const [first, again] = [await keyed(), await keyed()];
    expect(again).toEqual(first);
    expect(first.warning).toBe('The server draws alone: no word of the sponsor was brought.');
    expect((await termsOf(first.id)).v).toBe('2');
  });

  it('adds a currency, and deposits and shows money in it', async () => {
    const plan = ['--code', 'STARS', '--kind', 'points', '--decimals', '1', '--name', 'Stars'];
    expect(await runJson('currencies', 'create', ...plan)).toMatchObject({ code: 'STARS', decimals: 1 });
    expect((await admin('currencies', 'list')).stdout).toMatch(/^CNY +money +2 +Chinese Yuan$/m);
    await runJson('wallets', 'deposit', 'stella', '--amount', '2.5', '--currency', 'STARS');
    expect(await runJson('wallets', 'show', 'stella', '--currency', 'STARS')).toMatchObject({
      balance: '2.5',
    });
    expect(await runJson('wallets', 'show', 'stella')).toMatchObject({ balance: '0.00', currency: 'CNY' });
  });

  it('creates a code pool, uploads codes to it, and shows what became of them', async () => {
    const { id, currency } = await runJson('code-pools', 'create', '--name', 'Coffee', '--sponsor', 'cafe');
    const files = { csv: 'code\none\ntwo\n', ndjson: '{"code":"three"}\n', JSONL: '{"code":"four"}\n' };
    for (const [format, codes] of Object.entries(files)) {
      const file = join(directory, `codes.${format}`);
      writeFileSync(file, codes);
      expect((await runJson('code-pools', 'upload', id, file)).count).toBe(format === 'csv' ? 2 : 1);
    }
    expect(await runJson('code-pools', 'show', id)).toMatchObject({ currency, uploaded: 4, free: 4 });
    expect((await runJson('code-pools', 'list', '--sponsor', 'cafe')).items).toMatchObject([{ id }]);
    const missing = await admin('code-pools', 'upload', id, join(directory, 'none.csv'));
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read: ENOENT') });
  });

  it('asks whether a person can be forgotten, and requests it', async () => {
    expect(await runJson('erasures', 'standing', 'nora')).toEqual({
      userId: 'nora',
      underWay: [],
      keptUntil: null,
    });
    const { id, action } = await runJson('erasures', 'request', 'nora');
    expect(action).toBe('user.erase');
    await rain.operator('second').post(`/v1/approvals/${id}/approve`);
    const [erasure] = (await runJson('erasures', 'list')).items;
    expect(erasure).toMatchObject({ userId: 'nora', requestedBy: 'second', status: 'requested' });
    expect(await runJson('erasures', 'show', erasure.id)).toEqual(erasure);
    expect(await runJson('erasures', 'standing', 'nora')).toMatchObject({
      underWay: [{ what: 'erasure', id: erasure.id }],
    });
    expect(await runJson('erasures', 'withdraw', erasure.id)).toMatchObject({ status: 'withdrawn' });
    expect(await runJson('erasures', 'standing', 'nora')).toMatchObject({ underWay: [] });
  });

  it('creates a series, changes, pauses, resumes and ends it, and shows its occurrences', async () => {
    const start = inAnHour().slice(0, 19);
    const terms = [
      ...['--name', 'Friday', '--sponsor', 'fred', '--total', '2', '--packets', '2', '--start', start],
      ...['--zone', 'UTC', '--seconds', '3600', '--ahead', '0', '--count', '3'],
    ];
    const timing = ['--start', start, '--zone', 'UTC', '--seconds', '3600', '--count', '3'];
    expect(await runJson('series', 'preview', ...timing, '--rule', 'FREQ=DAILY')).toMatchObject({
      occurrences: [{ opensAt: `${start}.000Z` }, {}, {}],
      hasMore: false,
    });
    const { id } = await runJson('series', 'create', ...terms, '--rule', 'FREQ=DAILY');
    expect(await runJson('series', 'change', id, ...terms, '--rule', 'FREQ=WEEKLY')).toMatchObject({
      rrule: 'FREQ=WEEKLY',
    });
    expect(await runJson('series', 'pause', id)).toMatchObject({ status: 'paused' });
    expect(await runJson('series', 'resume', id)).toMatchObject({ status: 'active' });
    expect(await runJson('series', 'show', id)).toMatchObject({ next: { opensAt: `${start}.000Z` } });
    expect((await runJson('series', 'list', '--sponsor', 'fred')).items).toMatchObject([{ id, decided: 0 }]);
    expect((await runJson('series', 'list', '--activity', '999999')).items).toEqual([]);
    expect((await runJson('series', 'occurrences', id)).items).toEqual([]);
    expect(await runJson('series', 'end', id)).toMatchObject({ status: 'ended' });
  });

  it('limits what a sponsor spends in a day, until the budget ends', async () => {
    expect(await runJson('budgets', 'set', 'bea', '--per-day', '5')).toMatchObject({ perDay: '5.00' });
    await runJson('wallets', 'deposit', 'bea', '--amount', '20');
    const plan = `--name Lunch --sponsor bea --total 20 --packets 2 --closes ${inAnHour()}`;
    const refused = await admin('activities', 'create', ...typed(plan));
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^422 wallet\.budget_exceeded: /),
    ]);
    expect(await runJson('budgets', 'show', 'bea')).toMatchObject({ perDay: '5.00', spentToday: '0.00' });
    expect(await runJson('budgets', 'delete', 'bea')).toBeNull();
    expect(await runJson('budgets', 'show', 'bea')).toMatchObject({ perDay: null });
  });

  it('adds a channel, changes, pauses and resumes it, gives it another secret, and deletes it', async () => {
    const url = 'https://shop.example/hongbao';
    const terms = `--name Called --to ${url} --smallest 1.00 --largest 50.00`;
    const made = await runJson('channels', 'create', ...typed(terms));
    expect(made).toMatchObject({
      url,
      profile: { smallest: '1.00', largest: '50.00' },
      secret: expect.any(String),
    });
    const changes = typed('--largest none --per-second 5 --name Shop');
    const changed = await runJson('channels', 'change', made.id, ...changes);
    expect(changed).toMatchObject({
      name: 'Shop',
      profile: { smallest: '1.00', largest: null, perSecond: 5 },
    });
    expect(await runJson('channels', 'pause', made.id)).toMatchObject({ paused: true });
    expect(await runJson('channels', 'resume', made.id)).toMatchObject({ paused: false });
    expect((await runJson('channels', 'waiting', made.id)).items).toEqual([]);
    expect((await runJson('channels', 'rotate-secret', made.id)).secret).not.toBe(made.secret);
    expect((await admin('channels', 'list')).stdout).toContain(`${made.id} `);
    expect((await admin('channels', 'delete', made.id)).stdout).toBe('Done.\n');
    expect((await admin('channels', 'list')).stdout).not.toContain(url);
  });

  it('registers a URL, tests it, and shows what became of its messages', async () => {
    const url = 'https://127.0.0.1:1/hook';
    const options = ['--event', 'payout.returned', '--event', 'payout.refused', '--description', 'Night'];
    const { id, secret } = await runJson('webhooks', 'create', '--to', url, ...options);
    expect(secret).toMatch(/^whsec_/);
    expect((await runJson('webhooks', 'list')).items).toContainEqual(
      expect.objectContaining({
        id,
        url,
        events: ['payout.returned', 'payout.refused'],
        description: 'Night',
      }),
    );
    const change = ['webhooks', 'change', id, '--event', 'payout.paid', '--description', 'none'];
    expect(await runJson(...change)).toMatchObject({ events: ['payout.paid'], description: null });
    const { messageId } = await runJson('webhooks', 'test', id);
    expect(await runJson('webhooks', 'message', id, messageId)).toMatchObject({ event: 'webhook.test' });
    expect((await runJson('webhooks', 'deliveries', id)).items).toMatchObject([
      { messageId, event: 'webhook.test' },
    ]);
    expect((await runJson('webhooks', 'dead-letters', id)).items).toEqual([]);
    expect(await runJson('webhooks', 'replay', id, '--letter', '999999')).toEqual({ replayed: 0 });
    expect((await admin('webhooks', 'delete', id)).stdout).toBe('Done.\n');
    expect((await runJson('webhooks', 'list')).items.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  it('holds a win before it is paid, and releases it', async () => {
    const id = await rain.createActivity({ sponsorId: 'hal', packetCount: 1 });
    await rain.pauseWorker();
    await rain.tap(id, 'eve');
    const claim = await rain.row<{ id: string }>('select id from claim where activity_id = $1', [id]);
    const held = await runJson('claims', 'hold', claim.id, '--reason', 'A robot?');
    rain.resumeWorker();
    expect(held).toMatchObject({ reason: 'held', lastError: 'A robot?', userId: 'eve' });
    expect((await runJson('dead-letters', 'list', '--reason', 'held', '--user', 'eve')).items).toHaveLength(
      1,
    );
    expect(await runJson('claims', 'show', claim.id)).toMatchObject({
      claimId: claim.id,
      settlement: 'held',
    });
    expect(await runJson('claims', 'release', claim.id)).toMatchObject({ status: 'replayed' });
    await rain.settled(id);
  });

  it('reads the audit log, the quarantine and the pending work', async () => {
    await runJson('wallets', 'freeze', 'aud');
    const { stdout } = await admin('audit', 'list', '--subject', 'wallet:aud', '--actor', 'operator');
    expect(stdout).toMatch(/^id +at +actorId +via +action +subject +before +after +detail$/m);
    expect(stdout).toMatch(/^\d+ +\S+Z +operator +- +wallet\.freeze +wallet:aud /m);
    expect((await admin('quarantine', 'list')).code).toBe(0);
    expect((await admin('overview')).stdout).toMatch(/^money\.unpaid +\d+$/m);
    expect((await admin('activities', 'now')).stdout).toMatch(/^runningCount +\d+$/m);
  });

  it('reverses a deposit once a second person approves', async () => {
    const { transferId } = await runJson('wallets', 'deposit', 'oops', '--amount', '30');
    const asked = await runJson('wallets', 'reverse', transferId, '--reason', 'Deposited twice.');
    expect(asked).toMatchObject({ status: 'pending', subject: 'wallet:oops', amount: '30.00' });
    await as(rain.tokenOf('other', 'finance'), ['approvals', 'approve', asked.id]);
    expect((await runJson('wallets', 'entries', 'oops', '--kind', 'reversal')).items).toEqual([
      expect.objectContaining({ amount: '-30.00', reverses: transferId }),
    ]);
  });

  it('finds out what became of a payout, resolves it, and ends the finding when its channel contradicts that', async () => {
    const channel = { name: 'By hand', profile: { smallest: '0.01' } };
    const { id: channelId } = (await rain.operator().post('/v1/payout-channels', channel)).body;
    await runJson('wallets', 'deposit', 'quitter', '--amount', '5');
    const { id } = (await rain.user('quitter').post('/v1/me/payouts', { amount: '5.00', channelId })).body;
    expect(
      (await runJson('payouts', 'list', '--user', 'quitter', '--state', 'reserved')).items,
    ).toMatchObject([{ id, channelId, amount: '5.00' }]);
    const retried = await admin('payouts', 'retry', id);
    expect([retried.code, retried.stderr]).toEqual([1, expect.stringContaining('payout_channel.not_called')]);
    const resolve = ['payouts', 'resolve', id, '--outcome', 'refused', '--evidence', 'Their log.'];
    const waits = await admin(...resolve);
    const [, line, first] =
      /^(Nothing has been done yet: 5\.00 CNY .*)\n {2}npm run admin -- approvals approve (\d+)$/m.exec(
        waits.stdout,
      )!;
    expect([waits.code, line]).toEqual([0, expect.stringContaining('a second person')]);
    const rejected = await as(rain.tokenOf('other', 'finance'), [
      ...['approvals', 'reject', first!, '--reason', 'Ask them first.'],
    ]);
    expect([rejected.code, rejected.stdout]).toEqual([0, expect.stringMatching(/^status +rejected$/m)]);
    expect((await runJson('approvals', 'mine', '--status', 'rejected')).items[0]).toMatchObject({
      id: first,
      reason: 'Ask them first.',
    });
    const asked = await runJson(...resolve);
    expect(asked).toMatchObject({ status: 'pending' });
    expect((await admin('approvals', 'list')).stdout).toMatch(
      new RegExp(`^${asked.id} +payout\\.resolve +payout:${id} +5\\.00 +CNY +operator `, 'm'),
    );
    expect((await admin('approvals', 'show', asked.id)).stdout).toMatch(/^terms\.evidence +Their log\.$/m);
    const alone = await admin('approvals', 'approve', asked.id);
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringMatching(/^403 approval\.own: /)]);
    const approved = await as(rain.tokenOf('other', 'finance'), ['approvals', 'approve', asked.id]);
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringMatching(/^status +approved$/m)]);
    expect(await runJson('payouts', 'show', id)).toMatchObject({ state: 'refused' });
    const { stdout: story } = await admin('payouts', 'show', id);
    expect(story).not.toContain('[object');
    expect(story).toMatch(/^at +step +why\n\S+Z +reserved .*\n\S+Z +refused .*evidence Their log\./m);
    const shop = rain.channel(channelId);
    await shop.post('/v1/payouts/outcomes', { outcomes: [{ id, outcome: 'paid' }] });
    const [finding] = (await runJson('findings', 'list', '--channel', channelId)).items;
    expect(finding).toMatchObject({ payoutId: id, kind: 'refused-but-paid' });
    expect(await runJson('findings', 'own', finding.id)).toMatchObject({ owner: 'operator' });
    expect(await runJson('findings', 'end', finding.id, '--resolution', 'Their mistake.')).toMatchObject({
      resolution: 'Their mistake.',
    });
    const contradicted = await admin('payouts', 'show', id);
    expect(contradicted.stdout).toMatch(/^findings\nid +channelId .*\n\d+ .*refused-but-paid/m);
    const ended = await admin('findings', 'end-file', '999999', '--resolution', 'Another shop.');
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('payout_statement.not_found')]);
  });

  it('freezes a wallet, and deals with the dead letters of its claims', async () => {
    const FROZEN = ['iced-1', 'iced-2', 'iced-3', 'iced-4'];
    const id = await rain.createActivity({ packetCount: 4 });
    for (const user of FROZEN)
      expect(await runJson('wallets', 'freeze', user)).toMatchObject({ status: 'frozen' });
    for (const user of FROZEN) await rain.tap(id, user);
    await rain.settled(id);
    const { items } = await runJson('dead-letters', 'list', '--activity', id);
    const letterOf = (user: string) => items.find(({ userId }: { userId: string }) => userId === user).id;
    await runJson('wallets', 'unfreeze', 'iced-1');
    expect(await runJson('dead-letters', 'replay', letterOf('iced-1'))).toMatchObject({ status: 'replayed' });
    const resolved = await runJson(
      'dead-letters',
      'resolve',
      letterOf('iced-2'),
      '--reason',
      'Paid by hand.',
    );
    expect(resolved).toMatchObject({ status: 'resolved', resolution: 'Paid by hand.' });
    const voided = await runJson('dead-letters', 'void', letterOf('iced-3'), '--reason', 'A robot.');
    expect(voided).toMatchObject({ userId: 'iced-3' });
    await runJson('wallets', 'unfreeze', 'iced-4');
    expect(await runJson('dead-letters', 'replay-all', '--user', 'iced-4')).toEqual({ replayed: 1 });
    const [latest] = (await runJson('dead-letters', 'list', '--status', 'void', '--activity', id)).items;
    expect(latest).toMatchObject({ userId: 'iced-3', status: 'void' });
    await rain.settled(id);
    expect(await runJson('wallets', 'show', 'iced-4')).toMatchObject({ status: 'active', pending: '0.00' });
  });

  it('prints tables, with the cursor of the next page', async () => {
    for (let i = 0; i < 2; i++) await rain.createActivity({ sponsorId: 'maya' });
    const { stdout } = await admin('activities', 'list', '--sponsor', 'maya', '--limit', '1');
    const [head, row, , more] = stdout.split('\n');
    expect(head).toMatch(/^id +name +phase +sponsorId +totalAmount +currency +packetCount +closesAt$/);
    expect(row).toMatch(/^\d+ +Rain +open +maya +100\.00 +CNY +10 +\S+Z$/);
    const next = await admin(
      ...['activities', 'list', '--sponsor', 'maya'],
      ...more!.replace('More: ', '').split(' '),
    );
    expect(next.stdout).toMatch(/^id .*\n\d+ +Rain .*\n$/);
    expect((await admin('wallets', 'show', 'maya')).stdout).toMatch(
      /^ownerId +maya\nbalance +0\.00\npending +0\.00\ncurrency +CNY\n/,
    );
    expect((await admin('activities', 'list', '--sponsor', 'nobody')).stdout).toBe('Nothing.\n');
    expect((await admin('activities', 'reconcile', '1')).stdout).toMatch(/^funded = total +true$/m);
  });

  it('never prints a character that reverses text, moves the cursor or is invisible, and keeps the value in JSON', async () => {
    const name = 'Rain\u200b\u200f\u{e0041}\u3164\u2028!';
    const id = await rain.createActivity({ sponsorId: 'olga', name });
    const { stdout } = await admin('activities', 'show', id);
    expect(stdout).toMatch(/^name +Rain\?\?\?\?\?!$/m);
    const asJson = await admin('activities', 'show', id, '--json');
    expect(asJson.stdout).toContain('"name": "Rain\\u200b\\u200f\\udb40\\udc41\\u3164\\u2028!"');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ name });
  });

  it('has one effect if a command is repeated with its key', async () => {
    const deposit = () => runJson('wallets', 'deposit', 'nina', '--amount', '1', '--key', 'deposit-of-ned');
    expect(await deposit()).toEqual(await deposit());
    expect(await runJson('wallets', 'show', 'nina')).toMatchObject({ balance: '1.00' });
  });

  it('exits with 1 if the API refuses, and says why with code, detail and fields', async () => {
    const refused = await admin('wallets', 'deposit', 'nina', '--amount', 'much');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^400 request\.invalid: \S.*\n {2}--amount must be .*\n {2}request \S+\n$/,
    );
    const plan = typed('--name x --sponsor nina --total much --packets 0 --closes never --tier fewx1');
    const { stderr } = await admin('activities', 'create', ...plan);
    for (const option of ['total', 'packets', 'closes', 'tier'])
      expect(stderr).toMatch(new RegExp(`^  --${option} must be `, 'm'));
    const asJson = await admin('activities', 'show', '999999', '--json');
    expect(JSON.parse(asJson.stderr)).toMatchObject({ status: 404, code: 'activity.not_found' });
    const stranger = await admin('webhooks', 'list', '--token', rain.tokenOf('ann'));
    expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('403 auth.forbidden') });
    const forged = await admin('webhooks', 'list', '--token', 'x.y.z');
    expect(forged).toMatchObject({ code: 1, stderr: expect.stringContaining('401 auth.unauthenticated') });
  });

  it('exits with 1 if the books do not agree', async () => {
    const id = await rain.createActivity({ sponsorId: 'pia', packetCount: 2 });
    const amountOf = 'update packet set amount_minor = amount_minor + $2 where activity_id = $1 and no = 1';
    await rain.sql(amountOf, [id, 1]);
    const broken = await admin('verify', id);
    expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 activities proven, 1 broken/) });
    expect(broken.stdout).toContain('sum of packets = total');
    expect((await admin('activities', 'reconcile', id)).code).toBe(1);
    await rain.sql(amountOf, [id, -1]);
  });

  it('accepts users as identity providers name them, except names that are path segments', async () => {
    const shownOf = async (user: string) =>
      JSON.parse((await admin('wallets', 'freeze', '--json', '--', user)).stdout);
    for (const user of ['auth0|5f7c', 'https://id.example/users/7?tenant=a#me', '-ann', '--help', '--json'])
      expect(await shownOf(user)).toMatchObject({ ownerId: user });
    expect((await runJson('activities', 'list', '--sponsor=-ann')).items).toEqual([]);
    expect(await admin('dead-letters', 'replay', '.')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'id cannot be "." in a path.\n',
    });
  });

  describe('an export by the command line', () => {
    let id: string;
    const file = () => join(directory, 'claims.txt');

    beforeAll(async () => {
      id = await rain.createActivity({ sponsorId: 'uma', packetCount: 2 });
      for (const user of ['ann', 'bob']) await rain.tap(id, user);
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

    it('writes the evidence of an ended activity, without the log of claims if there is none', async () => {
      const closed = await rain.createActivity({ sponsorId: 'evi' });
      expect(await admin('activities', 'close', closed, '--yes')).toMatchObject({ code: 0 });
      const out = join(directory, 'evidence.tar');
      const written = await admin('evidence', closed, '--out', out);
      expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(`Wrote ${out} (SHA-256 `) });
      expect(readFileSync(out, 'utf8')).toContain('log-checkpoint.txt');
    });

    it('does not write a file if the API refuses it', async () => {
      const refused = await admin('export', 'results', id, '--output', file());
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('409 activity.not_ended') });
      expect(existsSync(file())).toBe(false);
    });

    describe('an export from a server that breaks off', () => {
      let server: Server;
      let isCut: boolean;

      beforeAll(async () => {
        server = createServer(({ url }, response) => {
          const isCsv = url!.endsWith('?format=csv');
          response.setHeader('content-type', isCsv ? 'text/csv' : 'application/x-ndjson');
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
        const { code, stderr } = await runCommand(args, {
          HONGBAO_URL: `http://127.0.0.1:${port}`,
          HONGBAO_TOKEN: 'x.y.z',
        });
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^The export is incomplete: /)]);
        expect(readdirSync(directory).filter((name) => name.startsWith('claims'))).toEqual([]);
      });
    });
  });

  it('was run against a real API with each of its commands', () => {
    expect(COMMANDS.map(({ call }) => call).filter((call) => !executed.has(call))).toEqual([]);
  });
});
