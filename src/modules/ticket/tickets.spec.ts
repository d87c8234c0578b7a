import { createSigner } from 'fast-jwt';
import { Problem } from '../../../libs/problem';
import { secretBytes } from '../../../libs/standard-webhooks';
import { type TicketKey, ticketKey, Tickets } from './tickets';

const TOLERANCE_SECONDS = 5;
const NOW_SECONDS = 1_800_000_000;
const ENDS = NOW_SECONDS + 60;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;

const key = ticketKey('1', SECRET, TOLERANCE_SECONDS);

const ticketOf = (claims: object): string =>
  createSigner({ key: secretBytes(SECRET), algorithm: 'HS256' })({
    ...{ activity: '7', sub: 'ann', exp: ENDS, iat: NOW_SECONDS },
    ...claims,
  });

function answerOf(
  tickets: Tickets,
  keys: readonly TicketKey[],
  ticket: string,
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
  it('ends at its exp and the tolerance of clocks, to the second, however often it was believed before', () => {
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

  it('ends as one that is checked for the first time does', () => {
    for (const seconds of [ENDS, ENDS + TOLERANCE_SECONDS - 1, ENDS + TOLERANCE_SECONDS]) {
      setClock(seconds);
      const isGood = seconds < ENDS + TOLERANCE_SECONDS;
      expect(answerOf(new Tickets(TOLERANCE_SECONDS), [key], ticketOf({}))).toEqual(
        isGood ? { hold: false } : 'grab.ticket_invalid',
      );
    }
  });

  it('admits no other user, and to no other activity', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const ticket = ticketOf({ hold: true });
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: true });
    expect(answerOf(tickets, [key], ticket, '7', 'bob')).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [key], ticket, '8')).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: true });
  });

  it('is believed no longer when its key is gone, also where another sponsor has a key of the same secret', () => {
    const tickets = new Tickets(TOLERANCE_SECONDS);
    const ticket = createSigner({ key: secretBytes(SECRET), algorithm: 'HS256', kid: '1' })({
      ...{ activity: '7', sub: 'ann', exp: ENDS },
    });
    expect(answerOf(tickets, [key], ticket)).toEqual({ hold: false });
    expect(answerOf(tickets, [], ticket)).toBe('grab.ticket_invalid');
    expect(answerOf(tickets, [ticketKey('2', SECRET, TOLERANCE_SECONDS)], ticket)).toBe(
      'grab.ticket_invalid',
    );
  });
});
