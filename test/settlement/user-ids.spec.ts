import fc from 'fast-check';
import { reservationOf, sum } from '../harness/books';
import { books, proveBooks, shareBooks } from '../harness/shared-books';
import { userIds } from '../harness/user-ids';

const STORIES = { numRuns: 20 };

proveBooks();
shareBooks();

const balancesOf = async (users: readonly string[]) => Promise.all(users.map((user) => books.balance(user)));

const plus = (amounts: readonly bigint[], more: readonly bigint[]) =>
  amounts.map((amount, i) => amount + more[i]!);

describe('whatever the ids of users are, Postgres', () => {
  it('confirms their wins, finds them again and pays them', () =>
    fc.assert(
      fc.asyncProperty(userIds(2, 8), async (users) => {
        const activityId = await books.activity({ packets: users.length, sponsorId: users.at(-1)! });
        const amounts = await books.packetAmounts(activityId);
        const before = await balancesOf(users);
        const claimIds = await books.claim(activityId, users);

        const again = users.map((user, i) => reservationOf(activityId, user, i + 1));
        const stranger = reservationOf(activityId, 'nobody else', 1);
        const taken = { kind: 'taken', ownerId: users[0], packet: { no: 1, amountMinor: amounts[0] } };
        expect(await books.claims.confirm([...again, stranger])).toEqual([
          ...amounts.map((amountMinor, i) => ({ kind: 'confirmed', packet: { no: i + 1, amountMinor } })),
          taken,
        ]);
        const questions = users.map((userId) => ({ activityId, userId }));
        expect((await books.claims.tapFacts(questions)).map(({ packet }) => packet?.no)).toEqual(
          users.map((_, i) => i + 1),
        );
        for (const [i, user] of users.entries())
          expect(await books.wonPackets.findClaim(activityId, user)).toMatchObject({
            userId: user,
            packetNo: i + 1,
          });

        await books.settlement.settle(claimIds);
        expect(await balancesOf(users)).toEqual(plus(before, amounts));
      }),
      STORIES,
    ));

  it('gives a user whose id is the number of an activity nothing of what its escrow holds', async () => {
    const activityId = await books.activity({ packets: 1 });
    const wallets = books.dataSource.transaction((tx) =>
      books.ledger.lockWallets(tx, [activityId], books.currency, true),
    );
    expect(await wallets).toEqual(new Map());
    expect(await books.wallets.read(activityId, {})).toMatchObject({ balance: '0.00', createdAt: null });
  });

  it('freezes only the intended user, and finds the dead letter of that user', () =>
    fc.assert(
      fc.asyncProperty(userIds(2, 5), async (users) => {
        const [frozen, ...others] = users as [string, ...string[]];
        const activityId = await books.activity({ packets: users.length });
        const before = sum(await balancesOf(users));
        await books.setStatus(frozen, 'frozen');
        await books.settlement.settle(await books.claim(activityId, users));
        const letters = await books.letters.list('open', undefined, 9);
        expect(letters.map(({ userId }) => userId)).toEqual([frozen]);

        await books.setStatus(frozen, 'active');
        const replay = (userId: string) =>
          books.dataSource.transaction((tx) => books.letters.replayMany(tx, { userId }, 9));
        expect((await Promise.all(others.map(replay))).flat()).toEqual([]);
        await books.settlement.settle(await replay(frozen));
        const won = sum(await books.packetAmounts(activityId));
        expect(sum(await balancesOf(users))).toBe(before + won);
      }),
      STORIES,
    ));
});
