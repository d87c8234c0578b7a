import { refusalOf, sum } from '../harness/books';
import { waitFor } from '../harness/engines';
import { books, proveBooks, shareBooks } from '../harness/shared-books';

proveBooks();
shareBooks();

const people = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);

/** Each batch begins elsewhere, and every other batch runs backwards, which provokes deadlocks. */
function overlapping(claimIds: readonly string[], batch: number): string[] {
  const start = (batch * 7) % claimIds.length;
  const rotated = [...claimIds.slice(start), ...claimIds.slice(0, start)].slice(0, 90);
  return batch % 2 === 0 ? rotated : rotated.reverse();
}

describe('a claim', () => {
  it('is paid once when 20 overlapping batches contain it at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const users = people(40, `crowd-${round}`);
      const rains = await Promise.all(
        [1, 2, 3].map(() => books.activity({ packets: 40, totalMinor: 9_000n })),
      );
      const claimIds = (await Promise.all(rains.map((id) => books.claim(id, users)))).flat();
      const batches = Array.from({ length: 20 }, (_, i) => overlapping(claimIds, i));

      const results = await Promise.all(
        [claimIds, ...batches].map((batch) => books.settlement.settle(batch)),
      );

      expect(results.reduce((paid, result) => paid + result.paid, 0)).toBe(claimIds.length);
      expect(results.flatMap(({ retry }) => retry)).toEqual([]);
      expect(sum(await Promise.all(users.map((user) => books.balance(user))))).toBe(27_000n);
      for (const user of users) {
        const credits = await books.creditsOf(user);
        expect(credits).toHaveLength(rains.length);
        expect(await books.balance(user)).toBe(sum(credits.map(({ amountMinor }) => amountMinor)));
      }
      expect(await Promise.all(rains.map((id) => books.balance(id, 'escrow')))).toEqual([0n, 0n, 0n]);
    }
  });

  it('is paid together with others of its winner and of its activity, and no workers deadlock', async () => {
    const workers = 4;
    for (let round = 0; round < 3; round++) {
      const users = people(400, `winner-${round}`);
      const rains = await Promise.all(users.slice(0, workers).map(() => books.activity({ packets: 400 })));
      const claims = await Promise.all(
        rains.map((id, i) => books.claim(id, i % 2 ? users : [...users].reverse())),
      );
      const batches = Array.from({ length: workers }, (_, worker) =>
        claims.flatMap((ids, rain) => ids.filter((_id, i) => (i + rain) % workers === worker)),
      );
      const results = await Promise.all(batches.map((batch) => books.settlement.settle(batch)));
      expect(results.map(({ paid }) => paid)).toEqual(batches.map((batch) => batch.length));
    }
  });

  it('pays the amount of its packet into the wallet of its winner, out of the escrow of its activity', async () => {
    const activityId = await books.activity({ packets: 2, totalMinor: 777n });
    const [first, second] = await books.packetAmounts(activityId);
    const [claimId] = await books.claim(activityId, ['ann']);

    expect(await books.settlement.settle([claimId!])).toMatchObject({ paid: 1, buried: 0, retry: [] });
    expect(await books.creditsOf('ann')).toEqual([{ kind: 'credit', sourceId: claimId, amountMinor: first }]);
    expect(await books.balance('ann')).toBe(first);
    expect(await books.balance(activityId, 'escrow')).toBe(second);
  });

  it('moves no money when it is offered again after it was paid', async () => {
    const activityId = await books.activity({ packets: 3 });
    const claimIds = await books.claim(activityId, ['again-1', 'again-2']);
    await books.settlement.settle(claimIds);
    const after = await books.balance('again-1');

    for (let time = 0; time < 3; time++)
      expect(await books.settlement.settle([...claimIds, ...claimIds])).toEqual({
        paid: 0,
        buried: 0,
        retry: [],
        activities: [],
      });
    expect(await books.balance('again-1')).toBe(after);
  });

  it('is paid once if one batch names it twice', async () => {
    const activityId = await books.activity({ packets: 1, totalMinor: 55n });
    const [claimId] = await books.claim(activityId, ['twice']);
    expect(await books.settlement.settle([claimId!, claimId!])).toMatchObject({ paid: 1 });
    expect(await books.balance('twice')).toBe(55n);
  });

  it('is paid to no user if it does not exist', async () => {
    expect(await books.settlement.settle(['999999999'])).toMatchObject({ paid: 0, buried: 0, retry: [] });
  });

  it('is refused by transfer_once when it is queued again although it is paid, and no money moves', async () => {
    const activityId = await books.activity({ packets: 2 });
    const [paid, unpaid] = await books.claim(activityId, ['queued-again', 'neighbour']);
    await books.settlement.settle([paid!]);
    const before = await books.balance('queued-again');
    await books.dataSource.query(
      `insert into unsettled_claim (claim_id, activity_id, user_id, amount_minor)
       select id, activity_id, user_id, amount_minor from claim where id = $1`,
      [paid],
    );

    expect(await refusalOf(books.settlements.credit([paid!]))).toMatch(
      /^transfer_credit_\d+_kind_source_id_activity_id_key$/,
    );
    expect(await books.settlement.settle([paid!, unpaid!])).toMatchObject({
      paid: 1,
      buried: 0,
      retry: [paid],
    });
    expect(await books.balance('queued-again')).toBe(before);
    expect(await books.balance('neighbour')).toBeGreaterThan(0n);

    await books.dataSource.query(`delete from unsettled_claim where claim_id = $1`, [paid]);
  });
});

describe('a frozen wallet', () => {
  it('gets nothing: its claim is buried, and the neighbours of that claim are paid', async () => {
    const activityId = await books.activity({ packets: 3 });
    const [, , amount] = await books.packetAmounts(activityId);
    await books.setStatus('frozen', 'frozen');
    const claimIds = await books.claim(activityId, ['left', 'frozen', 'right']);

    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 2, buried: 1, retry: [] });
    expect(await books.balance('frozen')).toBe(0n);
    expect(await books.balance('right')).toBe(amount);
    const [letter] = await books.letters.list('open', undefined, 10);
    expect(letter).toMatchObject({
      claimId: claimIds[1],
      userId: 'frozen',
      reason: 'wallet_frozen',
      attempts: 1,
    });
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 0, buried: 0, retry: [] });
  });

  it('keeps its earlier balance', async () => {
    const activityId = await books.activity({ packets: 2 });
    const [first, second] = await books.claim(activityId, ['saver', 'other']);
    await books.settlement.settle([first!]);
    const before = await books.balance('saver');
    await books.setStatus('saver', 'frozen');
    const again = await books.activity({ packets: 1 });
    await books.settlement.settle([second!, ...(await books.claim(again, ['saver']))]);
    expect(await books.balance('saver')).toBe(before);
  });

  it('gets no credit after its freeze was answered, however the two race', async () => {
    const rounds = 60;
    const outcomes = { paid: 0, buried: 0 };
    for (let round = 0; round < rounds; round++) {
      const user = `racer-${round}`;
      const activityId = await books.activity({ packets: 1 });
      const claimIds = await books.claim(activityId, [user]);
      if (round % 2 === 0) await books.setStatus(user, 'active');
      const settle = () => books.settlement.settle(claimIds);
      const freeze = () => books.setStatus(user, 'frozen').then(() => books.balance(user));

      const [first, second] = round % 4 < 2 ? [settle(), freeze()] : [freeze(), settle()];
      const answers = await Promise.all([first, second]);
      const atFreeze = answers.find((answer) => typeof answer === 'bigint');

      expect(await books.balance(user)).toBe(atFreeze);
      const paid = (await books.creditsOf(user)).length;
      outcomes[paid === 1 ? 'paid' : 'buried'] += 1;
    }
    expect(outcomes.paid + outcomes.buried).toBe(rounds);
  });

  it.each(['settlement', 'freeze'])(
    'waits for its turn: a freeze that comes second to %s sees its effect',
    async (first) => {
      const user = `second-to-${first}`;
      const activityId = await books.activity({ packets: 1 });
      const claimIds = await books.claim(activityId, [user]);
      await books.setStatus(user, 'active');
      const walletLock = `select 1 from account where owner_id = $1 and kind = 'wallet' for no key update`;
      const commit = await books.hold((tx) => tx.query(walletLock, [user]));

      const settle = () => books.settlement.settle(claimIds);
      const freeze = () => books.setStatus(user, 'frozen');
      const [early, late] = first === 'settlement' ? [settle, freeze] : [freeze, settle];
      const answers = [early()];
      await waitFor(async () => (await books.blocked()).length === 1, { what: `${first} to wait` });
      answers.push(late());
      await waitFor(async () => (await books.blocked()).length === 2, { what: 'both to wait' });
      await commit();
      await Promise.all(answers);

      expect(await books.creditsOf(user)).toHaveLength(first === 'settlement' ? 1 : 0);
    },
  );
});
