import { books, shareBooks } from '../harness/shared-books';

const ATTEMPTS_MAX = 3;

/** No statement that pays `poison` can succeed, whatever else it does. */
const POISON = `
  create function poison() returns trigger language plpgsql as $$
  begin
    if new.owner_id like 'poison%' then raise exception 'this wallet cannot be written'; end if;
    return new;
  end $$;
  create trigger poison before insert or update on account for each row execute function poison();`;

shareBooks({ SETTLEMENT_ATTEMPTS_MAX: String(ATTEMPTS_MAX) });

beforeEach(() => books.dataSource.query(POISON));

afterEach(async () => {
  await books.dataSource.query(`drop function poison cascade`);
  expect(await books.broken()).toEqual([]);
});

const crowd = (name: string): string[] => Array.from({ length: 20 }, (_, i) => `${name}-${i}`);

async function unsettled(): Promise<{ claimId: string; attempts: number; lastError: string | null }[]> {
  return books.dataSource.query(
    `select claim_id as "claimId", attempts, last_error as "lastError" from unsettled_claim order by claim_id`,
  );
}

describe('a claim that cannot be paid', () => {
  it.each([0, 1, 9, 19])('at position %i in a batch of 20 does not hold up its neighbours', async (place) => {
    const users = crowd(`place-${place}`);
    users[place] = `poison-${place}`;
    const claimIds = await books.claim(await books.activity({ packets: 20 }), users);

    const result = await books.settlement.settle(claimIds);

    expect(result).toMatchObject({ paid: 19, buried: 0, retry: [claimIds[place]] });
    for (const user of users)
      expect(await books.creditsOf(user)).toHaveLength(user.startsWith('poison') ? 0 : 1);
    expect(await unsettled()).toEqual([
      { claimId: claimIds[place], attempts: 1, lastError: 'this wallet cannot be written' },
    ]);
    for (let attempt = 2; attempt <= ATTEMPTS_MAX; attempt++) await books.settlement.settle(result.retry);
  });

  it('is retried, counted, and buried at its last attempt with the error of the database', async () => {
    const activityId = await books.activity({ packets: 1, totalMinor: 50n });
    const [claimId] = await books.claim(activityId, ['poison']);
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
      expect(await books.settlement.settle([claimId!])).toMatchObject({
        paid: 0,
        buried: 0,
        retry: [claimId],
      });
      expect(await unsettled()).toMatchObject([{ claimId, attempts: attempt }]);
    }

    // Its winner is notified of a packet in this activity.
    const result = await books.settlement.settle([claimId!]);
    expect(result).toEqual({ paid: 0, buried: 1, retry: [], activities: [activityId] });
    expect(await unsettled()).toEqual([]);
    const [letter] = await books.letters.list('open', undefined, 1);
    expect(letter).toMatchObject({
      claimId,
      userId: 'poison',
      amountMinor: 50n,
      reason: 'settlement_failed',
      lastError: 'this wallet cannot be written',
      attempts: ATTEMPTS_MAX,
    });
  });

  it('is never offered again once it is buried', async () => {
    const claimIds = await books.claim(await books.activity({ packets: 2 }), ['poison-buried', 'healthy']);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) await books.settlement.settle(claimIds);
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 0, buried: 0, retry: [] });
    expect(await books.settlements.backlog()).toBeUndefined();
  });

  it('does not count against its neighbours, however many are poisoned', async () => {
    const users = crowd('mixed').map((user, i) => (i % 3 === 0 ? `poison-${user}` : user));
    const claimIds = await books.claim(await books.activity({ packets: 20 }), users);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) await books.settlement.settle(claimIds);

    const poisoned = users.filter((user) => user.startsWith('poison'));
    const letters = await books.letters.list('open', undefined, poisoned.length);
    expect(letters.map(({ userId }) => userId).sort()).toEqual([...poisoned].sort());
    expect(await unsettled()).toEqual([]);
    for (const user of users)
      expect(await books.creditsOf(user)).toHaveLength(user.startsWith('poison') ? 0 : 1);
  });

  it('is not held any more if it was held before', async () => {
    const [claimId] = await books.claim(await books.activity({ packets: 1 }), ['poison-held']);
    const letter = await books.dataSource.transaction((tx) => books.letters.hold(tx, claimId!, 'Too lucky.'));
    await books.replay(letter!.id);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) await books.settlement.settle([claimId!]);
    expect(await books.letters.findLetter(letter!.id)).toMatchObject({
      status: 'open',
      reason: 'settlement_failed',
    });
  });

  it('is paid exactly once when its poison is gone and an operator replays it', async () => {
    const [claimId] = await books.claim(await books.activity({ packets: 1, totalMinor: 70n }), [
      'poison-cured',
    ]);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) await books.settlement.settle([claimId!]);
    const [letter] = await books.letters.list('open', undefined, 1);
    await books.dataSource.query(`drop trigger poison on account`);

    expect(await books.replay(letter!.id)).toBe(claimId);
    expect(await unsettled()).toEqual([{ claimId, attempts: 0, lastError: null }]);
    expect(await books.settlement.settle([claimId!])).toMatchObject({ paid: 1, buried: 0, retry: [] });
    expect(await books.settlement.settle([claimId!])).toMatchObject({ paid: 0, buried: 0, retry: [] });
    expect(await books.balance('poison-cured')).toBe(70n);
  });
});
