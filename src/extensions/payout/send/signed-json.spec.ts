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
  ['a refusal without an id', { status: 422, body: '{"code":"user-closed"}' }, 'unknown'],
  ['a refusal of another id', { status: 422, body: '{"payoutId":"9a1","code":"user-closed"}' }, 'unknown'],
  ['paid and refused at once', { status: 422, body: body({ state: 'paid', code: 'amount' }) }, 'unknown'],
  ['400 without a code', { status: 400, body: '' }, 'unknown'],
  ['a code that JavaScript knows', { status: 409, body: '{"code":"constructor"}' }, 'unknown'],
  ['429 with a new code', { status: 429, body: '{"code":"captcha"}' }, 'unknown'],
  ['500', { status: 500, body: body({ state: 'refused', code: 'amount' }) }, 'unknown'],
  ['403 with a new code', { status: 403, body: '{"code":"risk"}' }, 'unknown'],
  ['a redirect', { status: 302, body: '' }, 'unknown'],
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
  ['another id', false, { status: 422, body: body({ payoutId: '9a1', code: 'under-review' }) }],
])('an unclear answer with a code of the channel shows that it is well: %s', (_, isWell, reply) => {
  const result = judge('PUT', reply);
  expect(result.kind === 'unknown' && result.isWell === true).toBe(isWell);
});

it('only an answer to GET may say that the payment is not found', () => {
  const reply = { status: 404, body: '{"code":"not-found"}' };
  expect([judge('GET', reply).kind, judge('PUT', reply).kind]).toEqual(['not-found', 'unknown']);
});

it.each([
  ['17', undefined, 17],
  ['Wed, 03 Feb 2031 00:00:30 GMT', 'Wed, 03 Feb 2031 00:00:00 GMT', 30],
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
