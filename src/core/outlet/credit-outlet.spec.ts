import { CreditOutlet } from './credit-outlet';
import type { Outlet } from './outlet';

const tx = {} as never;
const currency = {} as never;
const credits = { currency, leastMinor: 1n, mostMinor: 5n, totalMinor: 10n };

const requireOpenable = jest.fn(async () => '7');
const requireAddable = jest.fn();

const outlet: Outlet = {
  sql: { sendOn: 'sent as (select 1), ', joins: ' left join sent on true', state: `'sent'` },
  requireOpenable,
  requireAddable,
  estimate: async () => ({ days: 1 }),
  termsOf: (id) => ({ id }),
  statesOf: async (ids) => new Map(ids.map((id) => [id, 'sent' as const])),
};

describe('without an outlet', () => {
  const none = new CreditOutlet();

  it('credits stay in wallets, and no answer mentions anything else', async () => {
    expect(await none.requireOpenable(tx, undefined, credits)).toBeNull();
    await none.requireAddable(tx, null, credits, 5n);
    expect(none.sql).toEqual({ sendOn: '', joins: '', state: `'credited'` });
    expect(await none.statesOf(['1'])).toEqual(new Map());
    expect([none.termsOf(null), none.termsOf('7')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['is opened', () => none.requireOpenable(tx, {}, credits)],
    ['is previewed', () => none.estimate(tx, {}, { packetCount: 1, totalMinor: 1n })],
    ['gets more', () => none.requireAddable(tx, '7', credits, 5n)],
  ])('no activity whose credits leave wallets %s: 503', async (_, act) => {
    await expect(act()).rejects.toMatchObject({
      status: 503,
      code: 'unavailable',
      message: expect.stringContaining('does not know where these credits go') as string,
      retryAfterSeconds: 1,
    });
  });
});

it('an outlet is asked about activities that name it, and about no others', async () => {
  const creditOutlet = new CreditOutlet();
  creditOutlet.registerOutlet(outlet);
  expect(await creditOutlet.requireOpenable(tx, undefined, credits)).toBeNull();
  expect(await creditOutlet.requireOpenable(tx, { to: '7' }, credits)).toBe('7');
  expect(requireOpenable).toHaveBeenCalledTimes(1);
  await creditOutlet.requireAddable(tx, null, credits, 5n);
  expect(requireAddable).not.toHaveBeenCalled();
  await creditOutlet.requireAddable(tx, '7', credits, 5n, 2);
  expect(requireAddable).toHaveBeenCalledWith(tx, '7', credits, 5n, 2);
  expect([creditOutlet.termsOf(null), creditOutlet.termsOf('7')]).toEqual([null, { id: '7' }]);
  expect(creditOutlet.sql).toBe(outlet.sql);
});

it('no two outlets can be registered', () => {
  const creditOutlet = new CreditOutlet();
  creditOutlet.registerOutlet(outlet);
  expect(() => creditOutlet.registerOutlet(outlet)).toThrow('registered twice');
});
