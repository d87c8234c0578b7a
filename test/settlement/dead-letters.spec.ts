import { OverviewRepository } from '../../src/extensions/overview/overview.repository';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

let serial = 0;

proveBooks();
shareBooks();

/** Buries a claim, because its wallet is frozen. */
async function buried(): Promise<{ user: string; claimId: string; letterId: string; activityId: string }> {
  serial += 1;
  const user = `frozen-${serial}`;
  await books.setStatus(user, 'frozen');
  const activityId = await books.activity({ packets: 1, totalMinor: 80n });
  const [claimId] = await books.claim(activityId, [user]);
  expect(await books.settlement.settle([claimId!])).toMatchObject({ buried: 1 });
  const [letter] = await books.letters.list('open', undefined, 1);
  expect(letter).toMatchObject({ claimId, status: 'open' });
  return { user, claimId: claimId!, letterId: letter!.id, activityId };
}

const resolve = (letterId: string, reason: string): Promise<boolean> =>
  books.dataSource.transaction((tx) => books.letters.resolve(tx, letterId, reason));

describe('a replayed letter', () => {
  it('is paid exactly once after its wallet is unfrozen, however often it is offered', async () => {
    const { user, claimId, letterId } = await buried();
    await books.setStatus(user, 'active');
    expect(await books.replay(letterId)).toBe(claimId);

    const results = await Promise.all(Array.from({ length: 10 }, () => books.settlement.settle([claimId])));
    expect(results.filter(({ paid }) => paid === 1)).toHaveLength(1);
    expect(await books.balance(user)).toBe(80n);
    expect((await books.letters.findLetter(letterId))?.status).toBe('replayed');
  });

  it('cannot be replayed again', async () => {
    const { user, letterId, claimId } = await buried();
    await books.setStatus(user, 'active');
    await books.replay(letterId);
    expect(await books.replay(letterId)).toBeUndefined();
    await books.settlement.settle([claimId]);
    expect(await books.replay(letterId)).toBeUndefined();
    expect(await books.balance(user)).toBe(80n);
  });

  it('is handed to settlement once if ten operators replay it at the same time', async () => {
    const { claimId, letterId } = await buried();
    const many = () => books.dataSource.transaction((tx) => books.letters.replayMany(tx, {}, 100));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? books.replay(letterId) : many())),
    );
    expect(answers.flat().filter((id) => id !== undefined)).toEqual([claimId]);
  });

  it('reopens if its wallet is still frozen, with all attempts counted', async () => {
    const { letterId, claimId } = await buried();
    await books.replay(letterId);
    expect(await books.settlement.settle([claimId])).toMatchObject({ paid: 0, buried: 1 });
    expect(await books.letters.findLetter(letterId)).toMatchObject({ status: 'open', attempts: 2 });
  });
});

describe('a replay of many letters', () => {
  it('takes only open letters that match, up to a limit', async () => {
    const [one, two, three] = [await buried(), await buried(), await buried()];
    await resolve(three.letterId, 'paid by hand');
    const replayMany = (filter: object, limit = 100) =>
      books.dataSource.transaction((tx) => books.letters.replayMany(tx, filter, limit));

    expect(await replayMany({ activityId: one.activityId, userId: two.user })).toEqual([]);
    expect(await replayMany({ activityId: one.activityId, reason: 'settlement_failed' })).toEqual([]);
    expect(await replayMany({ userId: three.user })).toEqual([]);
    expect(await replayMany({ activityId: one.activityId, reason: 'wallet_frozen' })).toEqual([one.claimId]);
    expect(await replayMany({ userId: two.user }, 1)).toEqual([two.claimId]);
    expect(await replayMany({ userId: two.user })).toEqual([]);
  });
});

describe('a resolved letter', () => {
  it('is closed: settlement does not pay it, the overview does not count it, and it is not resolved twice', async () => {
    const { user, claimId, letterId } = await buried();
    await books.setStatus(user, 'active');
    const openLetters = async () => (await books.serviceOf(OverviewRepository).money()).deadLetters;
    const before = await openLetters();
    expect(await resolve(letterId, 'paid by hand')).toBe(true);
    expect(await resolve(letterId, 'another reason')).toBe(false);
    expect(await openLetters()).toBe(before - 1);

    expect(await books.settlement.settle([claimId])).toMatchObject({ paid: 0, buried: 0, retry: [] });
    expect(await books.balance(user)).toBe(0n);
    expect(await books.letters.findLetter(letterId)).toMatchObject({
      status: 'resolved',
      resolution: 'paid by hand',
    });
  });

  it('may still be replayed, so that a wrong decision strands no money', async () => {
    const { user, claimId, letterId } = await buried();
    await resolve(letterId, 'a mistake');
    await books.setStatus(user, 'active');
    expect(await books.replay(letterId)).toBe(claimId);
    expect(await books.settlement.settle([claimId])).toMatchObject({ paid: 1 });
    expect(await books.balance(user)).toBe(80n);
  });

  it('cannot be resolved after its replay', async () => {
    const { letterId } = await buried();
    await books.replay(letterId);
    expect(await resolve(letterId, 'too late')).toBe(false);
  });

  it('ends in a single state if one operator resolves and another replays it at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      const { letterId, claimId } = await buried();
      const [, replayed] = await Promise.all([resolve(letterId, 'by hand'), books.replay(letterId)]);
      expect(replayed).toBe(claimId);
      expect(await books.letters.findLetter(letterId)).toMatchObject({
        status: 'replayed',
        resolution: null,
      });
      expect(await books.broken()).toEqual([]);
    }
  });
});
