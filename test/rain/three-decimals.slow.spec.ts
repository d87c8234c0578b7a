import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DistributedProgram } from '../../src/dev/engines';
import type { Answer } from '../harness/client';
import { runCommand } from '../harness/command-line';
import { readCsv } from '../harness/csv';
import { barePython } from '../harness/distributed';
import { waitFor } from '../harness/engines';
import { planOf } from '../harness/installation';
import { ownDirectory } from '../harness/own-directory';
import { rain, shareInstallation } from '../harness/shared-installation';

shareInstallation({ CLAIM_LOG_KEY: Buffer.alloc(32, 7).toString('base64') });

/** The default has two, so that anything which takes this currency for the default is noticed. */
const currency = 'KWD';
const AMOUNT = '7.105';
const HOST = 'kw-host';
const [ANN, BOB, ROBOT] = ['kw-ann', 'kw-bob', 'kw-robot'];

/** A UTC day that is over. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const NOON = `${DAY}T12:00:00.000Z`;

/** All that the wallet of the host paid and received, oldest first. */
const MOVED = ['28.420', '-28.420', '21.315', '-14.210', '7.105', '-7.105', '28.420'];
const LEFT = '35.525';

const ndjson = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('a rain in a currency with three decimals', () => {
  const directory = ownDirectory('decimals');
  let python: DistributedProgram;
  let channelId: string;
  let id: string;

  beforeAll(async () => {
    python = await barePython();
    const operator = rain.operator();
    const added = { code: currency, kind: 'money', name: 'Kuwaiti Dinar' };
    expect((await operator.post('/v1/currencies', added)).status).toBe(201);
    const channel = { name: 'Kuwait', currency, profile: { smallest: '0.001' } };
    channelId = (await operator.post('/v1/payout-channels', channel)).body.id;
    id = await endedRain();
  });

  /** Of seven packets two are won and leave through a channel, one is void and was replaced, and four are left. */
  async function endedRain(): Promise<string> {
    const operator = rain.operator();
    const activityId = await rain.createActivity({
      ...{ sponsorId: HOST, currency, totalAmount: '28.420', packetCount: 4, payout: { channelId } },
      split: { kind: 'random', min: AMOUNT, max: AMOUNT },
    });
    await operator.post(`/v1/wallets/${HOST}/deposits`, { amount: '21.315', currency });
    const split = { kind: 'tiers', tiers: [{ amount: AMOUNT, count: 2 }] };
    const topUp = { amount: '14.210', currency, packetCount: 2, split };
    expect((await operator.post(`/v1/activities/${activityId}/top-ups`, topUp)).status).toBe(201);
    await operator.post(`/v1/wallets/${ROBOT}/freeze?currency=${currency}`);
    for (const user of [ANN, BOB, ROBOT])
      expect((await rain.tap(activityId, user)).body).toMatchObject({ code: '0', amount: AMOUNT });
    await rain.settled(activityId);
    const { items } = (await operator.get(`/v1/dead-letters?activityId=${activityId}`)).body;
    expect(items).toMatchObject([{ userId: ROBOT, amount: AMOUNT, currency }]);
    await operator.post(`/v1/dead-letters/${items[0].id}/void`, { reason: 'A robot.' });
    expect((await operator.post(`/v1/activities/${activityId}/close`)).status).toBe(200);
    await waitFor(async () => (await waiting()).length === 2, { what: 'the payouts of two wins' });
    const isLogged = async () => (await textOf('/v1/log/checkpoint')).split('\n')[1] === '3';
    await waitFor(isLogged, { what: 'a checkpoint of three wins' });
    return activityId;
  }

  const waiting = async (): Promise<{ id: string; userId: string; amount: string }[]> =>
    (await rain.channel(channelId).get(`/v1/payout-channels/${channelId}/waiting`)).body.items;

  /** For answers that are not JSON. */
  async function textOf(path: string): Promise<string> {
    const headers = { authorization: `Bearer ${rain.tokenOf('op1', 'operator')}` };
    return (await fetch(rain.url + path, { headers })).text();
  }

  it.each([
    ['results', Array<string>(7).fill(AMOUNT)],
    ['claims', Array<string>(3).fill(AMOUNT)],
    ['payouts', [AMOUNT, AMOUNT]],
    ['ledger', ['28.420', '14.210', AMOUNT, AMOUNT, AMOUNT, AMOUNT, '28.420']],
  ])('is exported to the last unit in its %s, as CSV and as NDJSON', async (kind, amounts) => {
    const path = `/v1/activities/${id}/export/${kind}`;
    const [names, ...rows] = readCsv(await textOf(`${path}?format=csv`));
    const column = (name: string) => rows.map((row) => row[names!.indexOf(name)]);
    expect(column('amount')).toEqual(amounts);
    expect(new Set(column('currency'))).toEqual(new Set([currency]));
    const [end, ...lines] = ndjson(await textOf(`${path}?format=ndjson`)).reverse();
    expect(end).toEqual({ end: true, rows: amounts.length });
    expect(lines.reverse().map((line) => line.amount)).toEqual(amounts);
    expect(new Set(lines.map((line) => line.currency))).toEqual(new Set([currency]));
  });

  it('is proven to the last unit, and its history, template and winners have the same amounts', async () => {
    expect(await rain.proof(id)).toMatchObject({
      ...{ verdict: 'balanced', currency, funded: '49.735', credited: '14.210', pending: '0.000' },
      ...{ dead: '0.000', void: AMOUNT, refunded: '28.420', unclaimed: '0.000', escrowBalance: '0.000' },
      credits: { kept: { amount: '0.000' } },
    });
    const operator = rain.operator();
    const read = async (what: string) => (await operator.get(`/v1/activities/${id}/${what}`)).body;
    expect(await read('history')).toMatchObject({ currency, total: { creditedAmount: '14.210' } });
    expect(await read('template')).toMatchObject({
      ...{ currency, totalAmount: '28.420' },
      split: { kind: 'random', min: AMOUNT, max: AMOUNT },
    });
    const { items } = await read('grabs');
    expect(items).toHaveLength(3);
    for (const item of items) expect(item).toMatchObject({ amount: AMOUNT, currency });
  });

  it('is shown to the last unit to those who sent it and to those who won', async () => {
    const [ann, host] = [rain.user(ANN), rain.user(HOST)];
    expect((await ann.get(`/v1/me/packets?currency=${currency}`)).body).toMatchObject({
      items: [{ activityId: id, amount: AMOUNT, currency }],
      totals: [{ packets: 1, amount: AMOUNT, currency }],
    });
    expect((await ann.get('/v1/me/wallets')).body.items).toEqual([
      { balance: '0.00', pending: '0.00', currency: 'CNY' },
      { balance: '0.000', pending: '0.000', currency },
    ]);
    expect((await ann.get('/v1/me/payouts')).body.items).toMatchObject([{ amount: AMOUNT, currency }]);
    expect(await entriesOf(ANN)).toEqual(['credit 7.105', 'payout -7.105']);
    expect((await host.get('/v1/me/sent')).body).toMatchObject({
      items: [{ amount: '42.630', currency, grabbed: { packets: 2, amount: '14.210' }, returned: '28.420' }],
      totals: [{ amount: '42.630', currency, returned: '28.420' }],
    });
    expect((await host.get(`/v1/me/wallet?currency=${currency}`)).body).toMatchObject({ balance: LEFT });
    expect((await entriesOf(HOST)).map((entry) => entry.split(' ')[1])).toEqual(MOVED);
  });

  /** Oldest first. */
  async function entriesOf(user: string): Promise<string[]> {
    const { items } = (await rain.user(user).get(`/v1/me/wallet/entries?currency=${currency}`)).body;
    return items.map(({ kind, amount }: Record<string, string>) => `${kind} ${amount}`).reverse();
  }

  it('is refused to a sponsor whose budget lacks a thousandth', async () => {
    const [operator, sponsorId] = [rain.operator(), 'kw-saver'];
    await operator.post(`/v1/wallets/${sponsorId}/deposits`, { amount: AMOUNT, currency });
    const budget = { perDay: '7.104', currency };
    expect((await operator.patch(`/v1/wallets/${sponsorId}/budget`, budget)).body).toEqual({
      ...budget,
      spentToday: '0.000',
    });
    const plan = planOf({ sponsorId, currency, totalAmount: AMOUNT, packetCount: 1 });
    expect((await operator.post('/v1/activities', plan)).body.code).toBe('wallet.budget_exceeded');
  });

  it('is in the statement of a day to the last unit, as JSON, as CSV and as camt.053', async () => {
    await dateToNoon(HOST);
    const statement = (format: string) =>
      textOf(`/v1/wallets/${HOST}/statements/${DAY}?currency=${currency}&format=${format}`);
    const json = JSON.parse(await statement('json'));
    expect(json).toMatchObject({ currency, opening: '0.000', closing: LEFT });
    expect(json.movements.map(({ amount }: { amount: string }) => amount)).toEqual(MOVED);
    const [names, ...rows] = readCsv(await statement('csv'));
    const column = (name: string) => rows.map((row) => row[names!.indexOf(name)]);
    expect(column('amount')).toEqual(['0.000', ...MOVED, LEFT]);
    expect(new Set(column('currency'))).toEqual(new Set([currency]));
    const xml = await statement('camt053');
    expect(amountsIn(xml, /<Cd>[OC][PL]BD<\/Cd><\/CdOrPrtry><\/Tp>/)).toEqual(['0.000', LEFT]);
    expect(amountsIn(xml, /<Ntry><NtryRef>\d+<\/NtryRef>/)).toEqual(MOVED);
    expect(amountsIn(xml, /<\/Refs>/)).toEqual(MOVED);
    expect(xml.match(/Ccy="KWD"/g)).toHaveLength(2 + 2 * MOVED.length);
  });

  /** Dates a wallet and all of its transfers to a day that is over. */
  const dateToNoon = (owner: string): Promise<unknown> =>
    rain.sql(`
      begin;
      set local session_replication_role = replica;
      update transfer_other set created_at = '${NOON}'
        from account where account.id in (debit_account_id, credit_account_id) and owner_id = '${owner}';
      update account set created_at = '${NOON}' where owner_id = '${owner}';
      commit`);

  /** The amounts after a piece of XML, negative where money left. */
  const amountsIn = (xml: string, before: RegExp): string[] =>
    Array.from(
      xml.matchAll(
        new RegExp(`${before.source}<Amt Ccy="${currency}">([^<]*)</Amt><CdtDbtInd>(CRDT|DBIT)<`, 'g'),
      ),
      ([, amount, way]) => (way === 'DBIT' ? `-${amount}` : amount!),
    );

  it('is compared to the last unit with the daily file of its channel', async () => {
    const payouts = await waiting();
    expect(payouts).toMatchObject([
      { amount: AMOUNT, currency },
      { amount: AMOUNT, currency },
    ]);
    const [first, second] = payouts;
    // Banks write more zeros.
    const right = [lineOf(first!, AMOUNT), lineOf(second!, '7.1050')];
    expect((await handIn(right)).body).toMatchObject({ lines: 2, posted: 2, found: 0 });
    const wrong = [lineOf(first!, '7.11'), lineOf(second!, '710.5')];
    expect((await handIn(wrong)).body).toMatchObject({ lines: 2, posted: 0, found: 2 });
    const finance = rain.as('finance');
    const { items } = (await finance.get(`/v1/payout-findings?channelId=${channelId}`)).body;
    const found = items.map(({ kind, detail }: { kind: string; detail: { amount: string } }) => {
      return `${kind} ${detail.amount}`;
    });
    expect(found.sort()).toEqual(['file-differs 7.11', 'file-differs 710.5']);
    for (const finding of items)
      await finance.post(`/v1/payout-findings/${finding.id}/end`, { resolution: 'A test.' });
    const paid = (await rain.user(ANN).get('/v1/me/payouts')).body.items;
    expect(paid).toMatchObject([{ state: 'paid', amount: AMOUNT, currency }]);
  });

  const lineOf = (payout: { id: string; userId: string }, amount: string): string =>
    `${payout.id},${payout.userId},${amount},paid,${NOON}`;

  const handIn = (lines: readonly string[]): Promise<Answer> =>
    rain
      .channel(channelId)
      .call('POST', `/v1/payout-channels/${channelId}/statements?day=${DAY}`, {
        text: ['payoutId,userId,amount,state,at', ...lines, ''].join('\r\n'),
        headers: { 'content-type': 'text/csv' },
      });

  const pythonSays = (script: string, ...args: string[]): string => {
    const { stdout, stderr } = spawnSync(python.command, [join('examples', script), ...args], {
      env: python.env,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout;
  };

  it('is checked from public files by both programs, and so is the proof of a winner', async () => {
    const address = `${rain.url}/v1/activities/${id}`;
    const [{ redPacketId }] = (await rain.user(ANN).get(`/v1/me/packets?activityId=${id}`)).body.items;
    const proof = join(directory, 'proof.json');
    writeFileSync(proof, (await rain.user(ANN).get(`/v1/me/packets/${redPacketId}/proof`)).text);
    const { batches } = (await rain.user('nosy').get(`/v1/activities/${id}/fairness`)).body;
    expect(batches.map(({ terms }: { terms: object }) => terms)).toMatchObject([
      { currency, total: '28.420', kind: 'random', min: AMOUNT, max: AMOUNT },
      { currency, total: '14.210', kind: 'tiers', tiers: [{ amount: AMOUNT, count: '2' }] },
      { currency, total: AMOUNT },
    ]);
    const said = pythonSays('verify-split.py', address, proof);
    for (const [batch, count] of [4, 2, 1].entries())
      expect(said).toContain(`activity ${id} batch ${batch}: all ${count} packets are as committed`);
    expect(said).toContain(`of activity ${id}: existed with ${AMOUNT} before it could be won`);
    const program = join('dist', 'src', 'dev', 'verify-split.js');
    const options = { env: python.env, encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, [program, address, proof], options)).toMatchObject({
      status: 0,
      stdout: said,
    });
  });

  it('has evidence to the last unit, which is checked without this system', async () => {
    const file = join(directory, 'rain.tar');
    const asked = { HONGBAO_URL: rain.url, HONGBAO_TOKEN: rain.tokenOf('op1', 'operator') };
    expect(await runCommand(['evidence', id, '--out', file], asked)).toMatchObject({ code: 0, stderr: '' });
    const amounts = Array.from(
      readFileSync(file, 'utf8').matchAll(/"(?:\w*[aA]mount|total|min|max)":\s?"([^"]*)"/g),
      ([, amount]) => amount!,
    );
    expect(amounts.filter((amount) => !/^\d+\.\d{3}$/.test(amount))).toEqual([]);
    expect(amounts).toEqual(expect.arrayContaining([AMOUNT, '14.210', '28.420', '49.735']));
    const said = pythonSays('verify-evidence.py', file, '--key', `${file}.key.json`, '--user', ANN);
    for (const line of [
      'the amounts of 7 packets are those that were drawn',
      '3 wins are those of the packets',
      'what was put in is what came out: 2 credits',
      '3 wins are in the log of claims',
    ])
      expect(said.split('\n')).toContain(line);
    expect(said).toMatch(/\npacket \d+: 7\.105, (sent|paid)\n$/);
  });

  /** This test comes last: an archived activity is exported, proven and checked by its file alone. */
  it('is sealed, archived and read back to the last unit, and all books agree', async () => {
    await rain.sql(`update activity set closed_at = closed_at - interval '400 days'`);
    const isForgotten = async () =>
      (await rain.sql('select from activity where forgotten_at is null')).length === 0;
    await waitFor(isForgotten, { what: 'Redis to be made to forget the rain' });
    await rain.sql(`select setval('activity_id_seq', 20000)`);
    expect(await rain.verify()).toContain('1 activities are settled for good and sealed from now on.');
    expect(await rain.command('verify', {}, '--all')).toMatch(/^ok +I42 /m);

    const files = join(directory, 'archive');
    const owner = { MIGRATION_DATABASE_URL: rain.database.url, ARCHIVE_DIR: files };
    expect(await rain.command('archive', owner)).toContain('Archived: activities ');
    const [name, ...others] = readdirSync(files);
    expect(others).toEqual([]);
    const lines = gunzipSync(readFileSync(join(files, name!))).toString();
    const amounts = Array.from(lines.matchAll(/"amount" : "([^"]*)"/g), ([, amount]) => amount);
    // Seven packets, three claims, two credits and a letter, in thousandths.
    expect(amounts).toEqual(Array(13).fill('7105'));
    const read = await rain.command('verify', {}, '--archive', join(files, name!));
    expect(read).toMatch(/^ok +A .*\(13 rows\)$/m);
    expect(await rain.command('verify', {}, '--all')).toMatch(/^ok +I30 /m);
    expect((await rain.operator().get(`/v1/activities/${id}/export/results`)).body.code).toBe(
      'activity.archived',
    );
    expect((await rain.user(HOST).get(`/v1/me/wallet?currency=${currency}`)).body.balance).toBe(LEFT);
  });
});
