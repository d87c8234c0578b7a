import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { createSigner } from 'fast-jwt';
import { Problem } from '../../../libs/problem';
import { newSecret, secretBytes } from '../../../libs/standard-webhooks';
import { TICKET_LENGTH_MAX, type TicketKey, ticketKey, Tickets } from './tickets';

const TOLERANCE_SECONDS = 5;
const NOW_SECONDS = 1_800_000_000;
const ENDS = NOW_SECONDS + 60;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;

const key = ticketKey('1', SECRET, TOLERANCE_SECONDS);

const ticketOf = (claims: object): string =>
  createSigner({ key: secretBytes(SECRET), algorithm: 'HS256' })({
    activity: '7',
    sub: 'ann',
    exp: ENDS,
    iat: NOW_SECONDS,
    ...claims,
  });

function answerOf(
  tickets: Tickets,
  keys: readonly TicketKey[],
  ticket: unknown,
  activity = '7',
  user = 'ann',
) {
  try {
    return tickets.admit(keys, activity, user, ticket);
  } catch (error) {
    return (error as Problem).code;
  }
}

const setClock = (seconds: number) => jest.setSystemTime(seconds * 1_000);

beforeEach(() => jest.useFakeTimers({ now: NOW_SECONDS * 1_000 }));
afterEach(() => jest.useRealTimers());

describe('a ticket that was checked once', () => {
  it('expires at its exp plus the clock tolerance, to the second, however often it was accepted before', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const ticket = ticketOf({});
    for (const seconds of [NOW_SECONDS, ENDS, ENDS + TOLERANCE_SECONDS - 1]) {
      setClock(seconds);
      expect(answerOf(tickets, [key], ticket)).toEqual({ hold: false });
    }
    for (const seconds of [ENDS + TOLERANCE_SECONDS, ENDS + 3_600]) {
      setClock(seconds);
      expect(answerOf(tickets, [key], ticket)).toBe('grab.ticket_invalid');
    }
    setClock(NOW_SECONDS);
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: false });
  });

  it('expires just like a ticket that is checked for the first time', () => {
    for (const seconds of [ENDS, ENDS + TOLERANCE_SECONDS - 1, ENDS + TOLERANCE_SECONDS]) {
      setClock(seconds);
      const isGood = seconds < ENDS + TOLERANCE_SECONDS;
      expect(answerOf(new Tickets(TOLERANCE_SECONDS), [key], ticketOf({}))).toEqual(
        isGood ? { hold: false } : 'grab.ticket_invalid',
      );
    }
  });

  it('admits neither another user nor to another activity', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const ticket = ticketOf({ hold: true });
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: true });
    expect(answerOf(tickets, [key], ticket, '7', 'bob')).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [key], ticket, '8')).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: true });
  });

  it('is no longer accepted once its key is gone, even if another sponsor has a key with the same secret', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const ticket = createSigner({ key: secretBytes(SECRET), algorithm: 'HS256', kid: '1' })({
      activity: '7',
      sub: 'ann',
      exp: ENDS,
    });
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: false });
    expect(answerOf(tickets, [], ticket)).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [ticketKey('2', SECRET, TOLERANCE_SECONDS)], ticket)).toBe(
      'grab.ticket_invalid',
    );
  });
});

const CLAIMS = { activity: '7', sub: 'ann', exp: ENDS };
const HS256 = { alg: 'HS256' };

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A ticket that no library would sign. */
function forged(claims: object, header: object, secret = SECRET, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secretBytes(secret)).update(signed).digest('base64url')}`;
}

function signedByRsa(claims: object): string {
  const signed = `${encode({ alg: 'RS256' })}.${encode(claims)}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey).toString('base64url')}`;
}

describe('a ticket', () => {
  const otherSecret = newSecret();
  const otherKey = ticketKey('2', otherSecret, TOLERANCE_SECONDS);
  const judged = (ticket: unknown, keys: readonly TicketKey[] = [key]) =>
    answerOf(new Tickets(TOLERANCE_SECONDS), keys, ticket);

  it('admits its user to its activity, and holds the win if it says so', () => {
    const answers = [{}, { hold: false }, { hold: true }].map((more) => judged(ticketOf(more)));
    expect(answers).toEqual([{ hold: false }, { hold: false }, { hold: true }]);
  });

  it('is asked for if it is missing', () => expect(judged(undefined)).toBe('grab.ticket_required'));

  it('is refused with the reason: it is missing, not valid for the user, or valid for more than 366 days', () => {
    const longestSeconds = 366 * 86_400 + TOLERANCE_SECONDS;
    const detailOf = (ticket: unknown): string => {
      try {
        new Tickets(TOLERANCE_SECONDS).admit([key], '7', 'ann', ticket);
        return 'admitted';
      } catch (error) {
        return (error as Problem).detail;
      }
    };
    expect([
      detailOf(undefined),
      detailOf('a.b.c'),
      detailOf(ticketOf({ exp: NOW_SECONDS + longestSeconds })),
      detailOf(ticketOf({ exp: NOW_SECONDS + longestSeconds + 1 })),
    ]).toEqual([
      'Ask the sponsor of the activity for one.',
      'It is not for this user and activity, not signed by a key of the sponsor, or too old.',
      'admitted',
      'Its exp must be at most 366 days from now, in seconds since 1970.',
    ]);
  });

  it.each<[string, unknown]>([
    ['that is a number', 7],
    ['that is empty', ''],
    ['of three letters', 'a.b.c'],
    ['in a list', [forged(CLAIMS, HS256)]],
    ['for an activity that is a number', forged({ ...CLAIMS, activity: 7 }, HS256)],
    ['with an unclear hold', forged({ ...CLAIMS, hold: 'true' }, HS256)],
    ...['activity', 'sub', 'exp'].map((name): [string, unknown] => [
      `without ${name}`,
      forged({ ...CLAIMS, [name]: undefined }, HS256),
    ]),
    ['whose end is a text', forged({ ...CLAIMS, exp: String(ENDS) }, HS256)],
    ['signed with another secret', forged(CLAIMS, HS256, otherSecret)],
    ['that names another key', forged(CLAIMS, { ...HS256, kid: '2' })],
    ['whose algorithm is none', forged(CLAIMS, { alg: 'none' })],
    ['without a signature', `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`],
    ['of another algorithm', forged(CLAIMS, { alg: 'HS512' }, SECRET, 'sha512')],
    ['of a public key', signedByRsa(CLAIMS)],
    ['that is too long', forged({ ...CLAIMS, more: 'x'.repeat(TICKET_LENGTH_MAX) }, HS256)],
  ])('%s does not admit any user', (_, ticket) => expect(judged(ticket)).toBe('grab.ticket_invalid'));

  it('of the maximum length admits its user', () => {
    const tickets = Array.from({ length: TICKET_LENGTH_MAX }, (_, i) => ticketOf({ more: 'x'.repeat(i) }));
    const longest = tickets.filter(({ length }) => length <= TICKET_LENGTH_MAX).at(-1)!;
    expect(longest.length).toBeGreaterThan(TICKET_LENGTH_MAX - 3);
    expect(judged(longest)).toEqual({ hold: false });
  });

  it('is verified by any of several keys, or only by the key that it names', () => {
    const by = (header: object) => judged(forged(CLAIMS, header, otherSecret), [key, otherKey]);
    expect([by(HS256), by({ ...HS256, kid: '2' })]).toEqual([{ hold: false }, { hold: false }]);
    expect(by({ ...HS256, kid: '1' })).toBe('grab.ticket_invalid');
  });

  it('is verified once, however often it is sent, and an invalid ticket each time', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const verify = jest.fn(key.verify);
    const tap = (ticket: string) => answerOf(tickets, [{ id: '1', verify }], ticket);
    const right = ticketOf({});
    for (let n = 0; n < 3; n++) expect(tap(right)).toEqual({ hold: false });
    expect(verify).toHaveBeenCalledTimes(1);
    for (let n = 0; n < 3; n++) expect(tap('a.b.c')).toBe('grab.ticket_invalid');
    expect(verify).toHaveBeenCalledTimes(4);
  });
});
