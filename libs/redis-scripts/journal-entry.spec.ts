import fc from 'fast-check';
import { userIds } from '../../test/harness/user-ids';
import { type Reservation, readEntry } from './journal-entry';
import { packetText } from './packet';
import { RedisKeys } from './redis-keys';

const SHARDS = 4;
const SHARD = 3;
const keys = new RedisKeys(SHARDS);

type Win = Pick<Reservation, 'userId' | 'packet' | 'waitedSince'>;

interface Part {
  readonly activityId: string;
  readonly held: boolean;
  readonly wins: readonly Win[];
}

const activityId = fc
  .bigInt({ min: 1n, max: 10n ** 17n })
  .map((n) => String(n * BigInt(SHARDS) + BigInt(SHARD)));

const packet = fc.record({
  no: fc.integer({ min: 1, max: 10_000_000 }),
  amountMinor: fc.bigInt({ min: 1n, max: 10n ** 18n }),
});

const moment = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }), fc.constantFrom('', '.5'))
  .map(([microseconds, half]) => `${microseconds}${half}`);

const winOf = (userId: string, waited: boolean): fc.Arbitrary<Win> =>
  fc.record({ userId: fc.constant(userId), packet, waitedSince: waited ? moment : fc.constant(undefined) });

const part: fc.Arbitrary<Part> = fc
  .tuple(activityId, userIds(1, 6), fc.boolean(), fc.boolean())
  .chain(([activityId, ids, waited, held]) =>
    fc.tuple(...ids.map((userId) => winOf(userId, waited))).map((wins) => ({ activityId, held, wins })),
  );

/** Makes fields like those of `grab.lua` and `assign-waitlist.lua`. */
function fieldsOf({ activityId, held, wins }: Part): string[] {
  const moments = wins.flatMap(({ waitedSince }) => waitedSince ?? []);
  const draw = held ? `${activityId} hold` : activityId;
  const about = moments.length > 0 ? `${draw} waitlist ${moments.join(' ')}` : draw;
  return [about, wins.map(({ userId, packet }) => `${userId} ${packetText(packet)}`).join(' ')];
}

describe('a journal entry', () => {
  it('every reservation that was written into an entry is read from it, whatever the ids of its users are', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const { reservations, flaw } = readEntry(SHARD, '1-0', parts.flatMap(fieldsOf), keys);
        expect(flaw).toBeUndefined();
        expect(reservations.map(({ entry: _, ...reservation }) => reservation)).toEqual(
          parts.flatMap(({ activityId, held, wins }) =>
            wins.map((win) => ({
              activityId,
              shard: SHARD,
              ...win,
              hold: held || (win.waitedSince?.endsWith('.5') ?? false),
            })),
          ),
        );
      }),
    );
  });

  it('an entry of parts that names no activity is read as flawed, and not refused', () => {
    expect(readEntry(SHARD, '1-0', ['v2', ''], keys)).toEqual({
      id: '1-0',
      reservations: [],
      flaw: 'no activity',
    });
  });
});
