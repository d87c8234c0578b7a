import { ClaimLookup } from '../../src/core/grab/confirm/claim-lookup';
import { books, shareBooks } from '../harness/shared-books';

const CROWD = 1_200;

/** Number of late taps that may wait at once. */
const WAITING_MAX = 5_000;

let lookup: ClaimLookup;

shareBooks({ CONFIRM_TIMEOUT_MS: '60000' });

beforeAll(async () => {
  lookup = new ClaimLookup(books.claims, books.config);
});

const people = (count: number): string[] => Array.from({ length: count }, (_, i) => `u${i}`);

describe('users whose taps are answered by Postgres after a rain', () => {
  it('share a query if they ask at once, and each is answered with their own packet', async () => {
    const winners = people(3);
    const [one, other] = [await books.activity({ packets: 3 }), await books.activity({ packets: 3 })];
    await books.claim(one, winners);
    const amounts = await books.packetAmounts(one);
    const queries = jest.spyOn(books.claims, 'tapFacts');

    const asked = await Promise.all(people(CROWD).map((user) => lookup.factsOf(one, user)));
    const elsewhere = lookup.factsOf(other, 'u0');
    const nowhere = lookup.factsOf('9223372036854775807', 'u0');
    expect(asked.flatMap(({ packet }, i) => (packet ? [{ i, packet }] : []))).toEqual(
      amounts.map((amountMinor, i) => ({ i, packet: { no: i + 1, amountMinor } })),
    );
    expect(asked.at(-1)).toEqual({
      activity: { status: 'active', packetCount: 3, isArchived: false },
      packet: undefined,
    });
    expect(await elsewhere).toMatchObject({ activity: { status: 'active' }, packet: undefined });
    expect(await nowhere).toEqual({ activity: undefined, packet: undefined });
    expect(queries.mock.calls.map(([questions]) => questions.length)).toEqual([500, 500, 200, 2]);
    queries.mockRestore();
  });

  it('wait for one connection in limited number, and any more are refused at once', async () => {
    const activityId = await books.activity({ packets: 1 });
    let settled: Promise<unknown> | undefined;
    const release = await books.hold((tx) => tx.query('lock table claim in access exclusive mode'));
    try {
      const waiting = people(WAITING_MAX).map((user) => lookup.factsOf(activityId, user));
      await expect(lookup.factsOf(activityId, 'one-too-many')).rejects.toMatchObject({
        code: 'grab.lookups_full',
        retryAfterSeconds: 1,
      });
      settled = Promise.allSettled(waiting);
    } finally {
      await release();
    }
    await settled;
    await expect(lookup.factsOf(activityId, 'later')).resolves.toMatchObject({
      activity: { packetCount: 1 },
    });
  });
});
