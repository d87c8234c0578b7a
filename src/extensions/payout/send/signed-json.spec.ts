import { signatureHeaders } from '../../../../libs/standard-webhooks';
import type { CallFacts, CallReply as WholeReply, CallResult } from './protocol';
import { signedJson } from './signed-json';

type CallReply = Omit<WholeReply, 'headers'> & Partial<WholeReply>;

const asked = { payoutId: '42a1', userId: 'u1', amount: '7.10', currency: 'CNY' };
const body = (more: object): string => JSON.stringify({ ...asked, ...more });

function judge(method: CallFacts['method'], reply: CallReply): CallResult {
  const moment = new Date();
  const facts = { ...asked, method, amountMinor: 7_10n, createdAt: moment, claims: null, at: moment };
  return signedJson.judge(facts, { headers: {}, ...reply });
}

const TWICE = `{"state":"paid",${body({ state: 'refused', code: 'amount' }).slice(1)}`;

const rows: [words: string, reply: CallReply, kind: string][] = [
  ['paid', { status: 200, body: body({ state: 'paid', externalId: 'T-1' }) }, 'paid'],
  ['processing', { status: 202, body: body({ state: 'processing' }) }, 'processing'],
  ['needs-user', { status: 202, body: body({ state: 'needs-user', action: 'Confirm.' }) }, 'needs-user'],
  ['returned', { status: 200, body: body({ state: 'returned' }) }, 'returned'],
  ...['user-unknown', 'user-closed', 'limit-user', 'currency', 'amount'].map(
    (code): (typeof rows)[number] => [
      code,
      { status: 422, body: body({ state: 'refused', code }) },
      'refused',
    ],
  ),
  ['refused by 200', { status: 200, body: body({ state: 'refused', code: 'user-closed' }) }, 'unknown'],
  ['limit-channel', { status: 409, body: '{"code":"limit-channel"}' }, 'full'],
  ['no-funds', { status: 402, body: '{"code":"no-funds"}' }, 'full'],
  ['too many', { status: 429, body: 'slow down' }, 'full'],
  ['401', { status: 401, body: '' }, 'misconfigured'],
  ['401 with a code', { status: 401, body: '{"code":"signature"}' }, 'misconfigured'],
  ['403', { status: 403, body: '<html>' }, 'misconfigured'],
  ['404 without a code', { status: 404, body: 'no such page' }, 'misconfigured'],
  ['another amount', { status: 200, body: body({ state: 'paid', amount: '7.11' }) }, 'differs'],
  ['an amount that is a number', { status: 200, body: body({ state: 'paid', amount: 7.1 }) }, 'differs'],
  ['another user', { status: 200, body: body({ state: 'paid', userId: 'u2' }) }, 'differs'],
  ['no echo', { status: 200, body: '{"state":"paid"}' }, 'differs'],
  ['a new code', { status: 422, body: body({ state: 'refused', code: 'blocked-by-risk' }) }, 'unknown'],
  ['a new state', { status: 200, body: body({ state: 'done' }) }, 'unknown'],
  ['200 with an error inside', { status: 200, body: '{"error":"no"}' }, 'unknown'],
  ['200 refused with a new code', { status: 200, body: body({ state: 'refused', code: 'no' }) }, 'unknown'],
  ['another id', { status: 200, body: body({ state: 'paid', payoutId: '42a2' }) }, 'unknown'],
  ['processing without an id', { status: 202, body: '{"state":"processing"}' }, 'unknown'],
  ['needs-user without an id', { status: 202, body: '{"state":"needs-user"}' }, 'unknown'],
  ['a refusal without an id', { status: 422, body: '{"code":"user-closed"}' }, 'unknown'],
  ['a refusal of another id', { status: 422, body: '{"payoutId":"9a1","code":"user-closed"}' }, 'unknown'],
  ['paid and refused at once', { status: 422, body: body({ state: 'paid', code: 'amount' }) }, 'unknown'],
  ['paid, and refused as well', { status: 422, body: TWICE }, 'unknown'],
  ['400 without a code', { status: 400, body: '' }, 'unknown'],
  ['a code that JavaScript knows', { status: 409, body: '{"code":"constructor"}' }, 'unknown'],
  ['429 with a new code', { status: 429, body: '{"code":"captcha"}' }, 'unknown'],
  ['500', { status: 500, body: body({ state: 'refused', code: 'amount' }) }, 'unknown'],
  ['403 with a new code', { status: 403, body: '{"code":"risk"}' }, 'unknown'],
  ['a redirect', { status: 302, body: '' }, 'unknown'],
  ['a redirect with a code', { status: 302, body: body({ code: 'amount' }) }, 'unknown'],
  ['300 paid', { status: 300, body: body({ state: 'paid' }) }, 'unknown'],
  ['199 paid', { status: 199, body: body({ state: 'paid' }) }, 'unknown'],
  ['400 with a code', { status: 400, body: body({ code: 'amount' }) }, 'refused'],
  [
    'a code that is the state as well',
    { status: 422, body: body({ state: 'amount', code: 'amount' }) },
    'refused',
  ],
  ['an empty body', { status: 200, body: '' }, 'unknown'],
  ['HTML', { status: 200, body: '<html>paid</html>' }, 'unknown'],
  ['a list', { status: 200, body: '[]' }, 'unknown'],
  ['too long a body', { status: 200, body: undefined }, 'unknown'],
];

it.each(rows)('an answer is judged: %s', (_, reply, kind) => {
  const result = judge('PUT', reply);
  expect(result.kind === 'outcome' ? result.outcome : result.kind).toBe(kind);
});

it.each<[words: string, isWell: boolean, reply: CallReply]>([
  ['a new code', true, { status: 422, body: '{"code":"under-review"}' }],
  ['429 with a new code', true, { status: 429, body: '{"code":"captcha"}' }],
  ['a refusal without an id', true, { status: 422, body: '{"code":"user-closed"}' }],
  ['200 refused', true, { status: 200, body: body({ state: 'refused', code: 'user-closed' }) }],
  ['a server error with a code', false, { status: 500, body: body({ code: 'internal' }) }],
  ['200 with a code about no payment', false, { status: 200, body: '{"code":"SYSTEM_ERROR"}' }],
  ['400 without a code', false, { status: 400, body: '{}' }],
  ['HTML', false, { status: 200, body: '<html>' }],
  ['a new state without a code', false, { status: 200, body: body({ state: 'done' }) }],
  ['another id', false, { status: 422, body: body({ payoutId: '9a1', code: 'under-review' }) }],
])(
  'an unclear answer with a code of the channel shows that the channel is working: %s',
  (_, isWell, reply) => {
    const result = judge('PUT', reply);
    expect(result.kind === 'unknown' && result.isWell === true).toBe(isWell);
  },
);

it('only an answer to GET may say that the payment is not found', () => {
  const reply = { status: 404, body: '{"code":"not-found"}' };
  expect([judge('GET', reply).kind, judge('PUT', reply).kind]).toEqual(['not-found', 'unknown']);
  expect(judge('GET', { ...reply, status: 410 }).kind).toBe('unknown');
  expect(judge('GET', { ...reply, body: '{"code":"closed"}' }).kind).toBe('unknown');
});

it.each([
  ['17', undefined, 17],
  ['Wed, 03 Feb 2031 00:00:30 GMT', 'Wed, 03 Feb 2031 00:00:00 GMT', 30],
  ['Wed, 03 Feb 2031 00:00:30', 'Wed, 03 Feb 2031 00:00:00', 30],
  ['2031-02-03T00:00:30Z', '2031-02-03T00:00:00Z', 30],
  ['99999999', undefined, 86_400],
  ['9999999999', undefined, 86_400],
  ['9'.repeat(400), undefined, 86_400],
  ['0', undefined, 1],
  ['soon', undefined, 1],
  [undefined, undefined, 1],
])('Retry-After %s is a wait', (retryAfter, date, waitSeconds) => {
  expect(judge('PUT', { status: 429, headers: { 'retry-after': retryAfter, date }, body: '' })).toMatchObject(
    { waitSeconds },
  );
});

describe('a call', () => {
  const at = new Date('2031-02-03T12:00:00.999Z');
  const [secret, formerSecret] = ['whsec_AAAA', 'whsec_BBBB'];
  const channel = { url: 'https://pay.example.com/api', secret, formerSecret, formerSecretUntil: null };
  const facts = {
    ...asked,
    amountMinor: 7_10n,
    createdAt: new Date('2031-02-03T11:00:00.000Z'),
    claims: 3,
    at,
  };
  const ask = (method: CallFacts['method'], more: object = {}) =>
    signedJson.ask({ ...channel, ...more } as never, { ...facts, method });
  const signed = (body: string, ...secrets: string[]) =>
    signatureHeaders(secrets, { id: '42a1', timestampSeconds: at.getTime() / 1_000 - 0.999, body });

  it('that asks for a payment names all of it in a signed PUT under its id', () => {
    const request = ask('PUT');
    expect(request).toEqual({
      url: 'https://pay.example.com/api/payouts/42a1',
      method: 'PUT',
      body: request.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'hongbao-payouts',
        ...signed(request.body, secret),
      },
    });
    expect(JSON.parse(request.body)).toEqual({
      ...asked,
      amountMinor: '710',
      createdAt: '2031-02-03T11:00:00.000Z',
      claims: 3,
    });
  });

  it('that asks about a payment is a signed GET without a body', () => {
    expect(ask('GET', { url: `${channel.url}/` })).toEqual({
      url: 'https://pay.example.com/api/payouts/42a1',
      method: 'GET',
      body: '',
      headers: { 'user-agent': 'hongbao-payouts', ...signed('', secret) },
    });
  });

  it.each([
    [1, [secret, formerSecret]],
    [0, [secret]],
    [-1, [secret]],
  ])('is signed with the former secret as well while that has %i ms left', (leftMs, secrets) => {
    const { headers } = ask('GET', { formerSecretUntil: new Date(at.getTime() + leftMs) });
    expect(headers).toMatchObject(signed('', ...secrets));
  });
});

it('an answer is accepted with everything that it says about the payment', () => {
  const judgeBody = (more: object, status = 200) => judge('PUT', { status, body: body(more) });
  const named = { externalId: 'T-1' };
  expect(judgeBody({ state: 'paid', ...named })).toEqual({ kind: 'outcome', outcome: 'paid', ...named });
  expect(judgeBody({ state: 'processing', ...named })).toEqual({
    kind: 'outcome',
    outcome: 'processing',
    ...named,
  });
  const needs = { state: 'needs-user', ...named, action: 'Confirm.' };
  expect(judgeBody(needs)).toEqual({ kind: 'outcome', outcome: 'needs-user', ...named, action: 'Confirm.' });
  expect(judgeBody({ state: 'refused', code: 'amount' }, 422)).toEqual({
    kind: 'outcome',
    outcome: 'refused',
    code: 'amount',
  });
  expect(judgeBody({ state: 'paid', amount: 7.1 })).toEqual({
    kind: 'differs',
    said: { ...asked, amount: null },
  });
});

it.each<[words: string, value: unknown, kept: string | undefined]>([
  ['the longest', 'x'.repeat(100), 'x'.repeat(100)],
  ['too long', 'x'.repeat(101), undefined],
  ['empty', '', undefined],
  ['a number', 42, undefined],
  ['with a character that Postgres cannot keep', 'T\u0000', undefined],
  ['with half a character', 'T\ud800', undefined],
])('the name of a payment is kept only if it is a short text: %s', (_, externalId, kept) => {
  expect(judge('PUT', { status: 200, body: body({ state: 'paid', externalId }) })).toEqual({
    kind: 'outcome',
    outcome: 'paid',
    externalId: kept,
  });
});

it.each<[words: string, reply: CallReply, rest: object]>([
  ['429', { status: 429, body: '' }, { reason: 'answered 429', stops: 'calls', waitSeconds: 1 }],
  [
    'limit-channel',
    { status: 409, body: '{"code":"limit-channel"}' },
    { reason: 'limit-channel', stops: 'payments', waitSeconds: 60 },
  ],
  [
    'no-funds',
    { status: 402, body: '{"code":"no-funds"}' },
    { reason: 'no-funds', stops: 'payments', waitSeconds: 60 },
  ],
])(
  'a channel that is full gets no calls for a while, or only no payments if its answer has a code: %s',
  (_, reply, rest) => {
    expect(judge('PUT', reply)).toEqual({ kind: 'full', ...rest });
  },
);

it.each<[reason: string, reply: CallReply]>([
  ['answered 302', { status: 302, body: '' }],
  ['answered 400', { status: 400, body: '{}' }],
  ['answered 403', { status: 403, body: '' }],
  ['answered 401 signature', { status: 401, body: '{"code":"signature"}' }],
  ['answered 422 under-review', { status: 422, body: '{"code":"under-review"}' }],
  ['answered 422 with a state', { status: 422, body: body({ state: 'paid', code: 'amount' }) }],
  ['answered 200 without a known state', { status: 200, body: body({ state: 'done' }) }],
  ['answered 200', { status: 200, body: '[]' }],
  ['answered 200', { status: 200, body: '"paid"' }],
  ['answered 200', { status: 200, body: 'null' }],
  ['no id', { status: 422, body: '{"code":"user-closed"}' }],
  ['no id', { status: 202, body: '{"state":"processing"}' }],
  ['a key twice', { status: 422, body: TWICE }],
])('the story of a payout names the answer that left it open: %s', (reason, reply) => {
  expect(judge('PUT', reply)).toMatchObject({ reason });
});

it('an answer about another payment belongs to another call', () => {
  expect(judge('PUT', { status: 200, body: body({ payoutId: '42a2' }) })).toEqual({
    kind: 'unknown',
    reason: 'another id',
    isOfAnother: true,
  });
});
