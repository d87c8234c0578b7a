import { ApiDocument } from '../harness/api-document';
import { readCsv, withoutMarks } from '../harness/csv';
import { waitFor } from '../harness/engines';
import { cents, sumOf } from '../harness/installation';
import { AWKWARD_USER_IDS } from '../harness/user-ids';
import { rain } from '../harness/shared-installation';

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
const LINES = {
  claims: 'ClaimLineDto',
  ledger: 'TransferLineDto',
  payouts: 'PayoutLineDto',
  results: 'ResultLineDto',
};

type Kind = keyof typeof LINES;
type Line = Record<string, string | null>;

const pathOf = (activityId: string, kind: string): string => `/v1/activities/${activityId}/export/${kind}`;

describe('exports', () => {
  let document: ApiDocument;
  let ended: string;
  let running: string;

  beforeAll(async () => {
    document = (await ApiDocument.read(rain.url))!;
    ended = await endedRain();
    running = await rain.createActivity({ sponsorId: 'gwen', packetCount: 3, totalAmount: '3.00' });
  });

  /** Four of seven packets are won: two paid, one a dead letter, one void and replaced. */
  async function endedRain(): Promise<string> {
    const operator = rain.operator();
    const id = await rain.createActivity({ sponsorId: 'gwen', packetCount: 4, totalAmount: '40.00' });
    await operator.post('/v1/wallets/gwen/deposits', { amount: '8.00' });
    await operator.post(`/v1/activities/${id}/top-ups`, { amount: '8.00', packetCount: 2 });
    for (const user of ['cold', 'robot']) await operator.post(`/v1/wallets/${user}/freeze`);
    for (const user of ['ann', '-bob', 'cold', 'robot']) await rain.win(id, user);
    await rain.settled(id);
    const { items } = (await operator.get('/v1/dead-letters')).body;
    const letter = items.find(({ userId }: { userId: string }) => userId === 'robot');
    await operator.post(`/v1/dead-letters/${letter.id}/void`, { reason: 'A robot.' });
    expect((await operator.post(`/v1/activities/${id}/close`)).status).toBe(200);
    return id;
  }

  async function ask(
    path: string,
    headers: Record<string, string> = {},
    token = rain.tokenOf('op1', 'operator'),
  ): Promise<{ status: number; headers: Headers; body: string }> {
    const response = await fetch(rain.url + path, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    const answer = { status: response.status, headers: response.headers, body: await response.text() };
    const given = { method: 'GET', path, ...answer, headers: Object.fromEntries(response.headers) };
    expect(document.undescribed(given)).toBeUndefined();
    return answer;
  }

  const linesOf = async (id: string, kind: Kind): Promise<Line[]> => {
    const { body } = await ask(pathOf(id, kind), { accept: NDJSON });
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const end = lines.pop();
    expect(document.undescribedLine('ExportEndDto', end)).toBeUndefined();
    expect(end.rows).toBe(lines.length);
    for (const line of lines) expect(document.undescribedLine(LINES[kind], line)).toBeUndefined();
    return lines;
  };

  const rowsOf = async (id: string, kind: Kind): Promise<string[]> => {
    const { body } = await ask(pathOf(id, kind), { accept: CSV });
    expect(body).toMatch(/\r\n$/);
    return body.slice(0, -2).split('\r\n');
  };

  it('an export of the claims has every winner, with the outcome of their packet', async () => {
    const lines = await linesOf(ended, 'claims');
    const { items } = (await rain.operator().get(`/v1/activities/${ended}/grabs`)).body;
    expect(lines).toEqual(
      items.map(({ activityId: _, isBest: __, ...grab }: { activityId: string; isBest?: true }) => ({
        claimId: expect.any(String),
        ...grab,
      })),
    );
    expect(lines.map(({ userId, settlement }) => `${userId} ${settlement}`).sort()).toEqual([
      '-bob credited',
      'ann credited',
      'cold dead-letter',
      'robot void',
    ]);
  });

  it('an export of the ledger adds up to the balance of the escrow', async () => {
    const lines = await linesOf(ended, 'ledger');
    expect(lines.map(({ kind }) => kind)).toEqual([
      ...['fund', 'top-up', 'top-up'],
      ...['credit', 'credit'],
      ...['void', 'refund'],
    ]);
    const amountsWhere = (is: (line: Line) => boolean) =>
      sumOf(lines.filter(is).map(({ amount }) => amount!));
    const escrow = `escrow:${ended}`;
    const held = amountsWhere(({ to }) => to === escrow) - amountsWhere(({ from }) => from === escrow);
    const { escrowBalance, dead, funded } = await rain.proof(ended);
    expect(held).toBe(cents(escrowBalance));
    expect(escrowBalance).toBe(dead);
    expect(amountsWhere(({ from }) => from === 'wallet:gwen')).toBe(cents(funded));
    const credits = lines.filter(({ kind }) => kind === 'credit');
    expect(credits.map(({ to }) => to).sort()).toEqual(['wallet:-bob', 'wallet:ann']);
    const claims = await linesOf(ended, 'claims');
    const credited = claims.filter(({ settlement }) => settlement === 'credited');
    expect(credits.map(({ claimId }) => claimId)).toEqual(credited.map(({ claimId }) => claimId));
  });

  it('an export of the results has every packet once, including packets without a winner', async () => {
    const lines = await linesOf(ended, 'results');
    expect(lines.map(({ outcome }) => outcome).sort()).toEqual([
      ...['credited', 'credited', 'dead-letter'],
      ...['unclaimed', 'unclaimed', 'unclaimed', 'void'],
    ]);
    expect(sumOf(lines.map(({ amount }) => amount!))).toBe(cents((await rain.proof(ended)).funded));
    expect(lines.filter(({ outcome }) => outcome === 'unclaimed')[0]).toMatchObject({
      userId: null,
      confirmedAt: null,
    });
    expect(new Set(lines.map(({ redPacketId }) => redPacketId)).size).toBe(7);
  });

  it('an export of the payouts has the outcome of each credit', async () => {
    const channel = { name: 'Exported', profile: { smallest: '0.01' } };
    const { id: channelId } = (await rain.operator().post('/v1/payout-channels', channel)).body;
    const split = { kind: 'equal' };
    const id = await rain.createActivity({
      packetCount: 2,
      totalAmount: '4.00',
      split,
      payout: { channelId },
    });
    await rain.tap(id, 'leaves');
    const waiting = async () =>
      (await rain.channel(channelId).get(`/v1/payout-channels/${channelId}/waiting`)).body.items[0]?.id;
    const payoutId = await waitFor<string>(waiting, { what: 'the payout' });
    const outcomes = [{ id: payoutId, outcome: 'paid', externalId: 'T-1' }];
    await rain.channel(channelId).post('/v1/payouts/outcomes', { outcomes });
    expect(await linesOf(id, 'payouts')).toEqual([
      expect.objectContaining({
        userId: 'leaves',
        amount: '2.00',
        state: 'paid',
        payoutId,
        externalId: 'T-1',
      }),
    ]);
  });

  it('an export of the results is refused while the activity is running, because it would reveal the remaining amounts', async () => {
    const { status, body } = await ask(pathOf(running, 'results'));
    expect([status, JSON.parse(body).code]).toEqual([409, 'activity.not_ended']);
  });

  it.each<Kind>(['claims', 'ledger', 'results'])(
    'an export of the %s has the same content in CSV and in NDJSON',
    async (kind) => {
      const lines = await linesOf(ended, kind);
      const [names, ...rows] = await rowsOf(ended, kind);
      expect(names).toBe(Object.keys(lines[0]!).join(','));
      expect(rows).toEqual(
        lines.map((line) =>
          Object.values(line)
            .map((value) => (value === '-bob' ? "'-bob" : (value ?? '')))
            .join(','),
        ),
      );
    },
  );

  it('an export names every user as their identity provider does, and never in a form that a spreadsheet calculates', async () => {
    const users = [
      ...AWKWARD_USER_IDS,
      '=1+1',
      '=HYPERLINK("https://x.example","y")',
      '+1',
      '-2+3',
      '@SUM(A1)',
      "'=1",
      'a;=1+1',
    ];
    const id = await rain.createActivity({ packetCount: users.length, totalAmount: `${users.length}.00` });
    for (const user of users) await rain.tap(id, user);
    const named = (await linesOf(id, 'claims')).map(({ userId }) => userId!);
    expect([...named].sort()).toEqual([...users].sort());
    const [names, ...rows] = readCsv((await ask(pathOf(id, 'claims'), { accept: CSV })).body);
    const inCsv = rows.map((row) => row[names!.indexOf('userId')]!);
    expect(inCsv.map(withoutMarks)).toEqual(named);
    expect(inCsv.filter((cell) => /(^|;)([=+@]|-(?!\d+$))/.test(cell))).toEqual([]);
  });

  it('an export of an activity without claims contains only the header line', async () => {
    expect(await linesOf(running, 'claims')).toEqual([]);
    expect(await rowsOf(running, 'claims')).toHaveLength(1);
  });

  it.each([
    ['', undefined, CSV],
    ['', '*/*', CSV],
    ['', 'text/html, */*;q=0.1', CSV],
    ['', NDJSON, NDJSON],
    ['?format=ndjson', undefined, NDJSON],
    ['?format=csv', NDJSON, CSV],
  ])('an export that is requested with %j and Accept %j is sent as %s', async (query, accept, type) => {
    const path = pathOf(running, 'claims') + query;
    const { status, headers } = await ask(path, accept === undefined ? {} : { accept });
    expect([status, headers.get('content-type')!.split(';')[0]]).toEqual([200, type]);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="activity-${running}-claims.${type === CSV ? 'csv' : 'ndjson'}"`,
    );
  });

  it.each([
    ['an unknown media type', '', { accept: 'application/json' }, 406, 'request.not_acceptable'],
    ['an unknown format', '?format=xml', {}, 400, 'request.invalid'],
    ['an unknown parameter', '?kind=claims', {}, 400, 'request.unknown_field'],
  ])('an export is refused with %s', async (_, query, headers, status, code) => {
    const answer = await ask(pathOf(running, 'claims') + query, headers);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([status, code]);
  });

  it.each<Kind>(['claims', 'ledger', 'payouts', 'results'])(
    'an export of the %s is for operators and not for the sponsor, and answers 404 for an unknown activity',
    async (kind) => {
      const answer = async (id: string, ...given: [headers?: Record<string, string>, token?: string]) => {
        const { status, body } = await ask(pathOf(id, kind), ...given);
        return [status, JSON.parse(body).code];
      };
      expect(await answer(ended, {}, rain.tokenOf('gwen'))).toEqual([403, 'auth.forbidden']);
      expect(await answer(ended, { authorization: '' })).toEqual([401, 'auth.unauthenticated']);
      expect(await answer('999999')).toEqual([404, 'activity.not_found']);
    },
  );

  it('an export is not produced for a HEAD request', async () => {
    const headers = { authorization: `Bearer ${rain.tokenOf('op1', 'operator')}` };
    const response = await fetch(rain.url + pathOf(ended, 'claims'), { method: 'HEAD', headers });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});
