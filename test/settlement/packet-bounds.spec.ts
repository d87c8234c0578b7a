import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import type { CompletedBody } from '../../src/core/lifecycle/create/completed-body';
import { SendingBounds } from '../../src/extensions/sender/sending-bounds';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks({ SENDER_LARGEST_PACKET: 'CNY=5.00,USD=3.00', SENDER_PACKETS_MAX: '20' });

const HOUR_MS = 3_600_000;
const ann = { userId: 'ann', role: 'user' } as const;

type Split = CompletedBody['split'];

beforeAll(async () => {
  await books.addCurrency({ code: 'USD', kind: 'money', name: 'US dollar' });
  await books.deposit('ann', 100_000n);
});

const create = (totalAmount: string, packetCount: number, split: Split = { kind: 'random' }) =>
  books.dataSource.transaction((tx) =>
    books
      .serviceOf(ActivityCreation)
      .create(tx, ann, {
        ...{ name: 'Packets', totalAmount, packetCount, split },
        opensAt: new Date().toISOString(),
        closesAt: new Date(Date.now() + HOUR_MS).toISOString(),
      }),
  );

const add = (activityId: string, amount: string, packetCount: number, split?: Split) =>
  books.dataSource.transaction((tx) => books.topUps.add(tx, ann, activityId, { amount, packetCount, split }));

/** Each sum is the least that is refused. */
const TOO_MUCH: readonly [string, number, Split, string, string, string][] = [
  ['2.10', 21, { kind: 'random' }, 'packetCount', '20', 'must be at most 20, as many as'],
  ['10.02', 2, { kind: 'equal' }, 'totalAmount', '10.00', 'must be at most 10.00 in 2 packets: the largest'],
  ['10.01', 2, { kind: 'random' }, 'totalAmount', '10.00', 'the largest packet of a user holds 5.00'],
  ['10.00', 2, { kind: 'random' }, 'split.max', '5.00', 'must be at most 5.00, the largest packet of a user'],
  ['5.02', 2, { kind: 'random' }, 'split.max', '5.00', 'the largest packet of a user'],
  ['6.00', 2, { kind: 'random', max: '5.01' }, 'split.max', '5.00', 'the largest packet of a user'],
  [
    '15.01',
    3,
    {
      kind: 'tiers',
      tiers: [
        { amount: '5.00', count: 2 },
        { amount: '5.01', count: 1 },
      ],
    },
    'split.tiers[1].amount',
    '5.00',
    'the largest packet of a user',
  ],
];

const ENOUGH: readonly [string, number, Split][] = [
  ['2.00', 20, { kind: 'random' }],
  ['10.00', 2, { kind: 'equal' }],
  ['10.00', 2, { kind: 'random', max: '5.00' }],
  ['5.01', 2, { kind: 'random' }],
  ['5.00', 1, { kind: 'random' }],
  ['5.00', 1, { kind: 'tiers', tiers: [{ amount: '5.00', count: 1 }] }],
];

describe('an activity of a user', () => {
  it.each(TOO_MUCH)(
    'of %s in %i packets, split as %j, is refused',
    async (total, count, split, field, maximum, message) => {
      await expect(create(total, count, split)).rejects.toMatchObject({
        ...{ code: 'request.invalid', message: 'That is beyond what a user may send.' },
        fields: [{ field, rule: 'maximum', maximum, message: expect.stringContaining(message) }],
      });
    },
  );

  it('names every field that is beyond a bound', async () => {
    await expect(create('105.01', 21)).rejects.toMatchObject({
      fields: [
        { field: 'packetCount', maximum: '20', message: expect.stringContaining('as an activity of a user') },
        { field: 'totalAmount', maximum: '105.00', message: expect.stringContaining('in 21 packets') },
      ],
    });
  });

  it.each(ENOUGH)('of %s in %i packets, split as %j, is created', async (total, count, split) => {
    await create(total, count, split);
  });

  it('is refused packets beyond its bound, and packets that are too large, when it gets more', async () => {
    const { id } = await create('1.80', 18);
    await expect(add(id, '0.30', 3)).rejects.toMatchObject({
      fields: [{ field: 'packetCount', maximum: '2', message: 'must be at most 2 more in this activity' }],
    });
    await expect(add(id, '5.01', 1)).rejects.toMatchObject({
      fields: [{ field: 'amount', maximum: '5.00' }],
    });
    await add(id, '0.20', 2);
    await expect(add(id, '0.01', 1)).rejects.toMatchObject({
      fields: [{ field: 'packetCount', maximum: '0' }],
    });
  });

  it.each([
    ['5.00', 2, { kind: 'random' }],
    ['5.01', 2, { kind: 'random', max: '5.00' }],
    ['10.00', 2, { kind: 'random', max: '5.00' }],
    ['10.01', 2, { kind: 'random' }],
  ])(
    'of %s in %i packets is split as %j if its user does not say how',
    async (totalAmount, packetCount, split) => {
      expect(await books.serviceOf(SendingBounds).splitOf({ totalAmount, packetCount })).toEqual(split);
    },
  );

  it('in another currency is split with the largest packet of that currency', async () => {
    const total = { totalAmount: '4.00', packetCount: 2, currency: 'USD' };
    expect(await books.serviceOf(SendingBounds).splitOf(total)).toEqual({ kind: 'random', max: '3.00' });
  });
});
