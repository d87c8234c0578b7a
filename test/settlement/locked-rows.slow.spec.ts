import { Problem } from '../../libs/problem';
import type { Reservation } from '../../libs/redis-scripts';
import type { ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { isOutage } from '../../src/platform/postgres';
import type { Books } from '../harness/books';
import { WholeRain } from '../harness/whole-rain';

let books: Books;
let rain: WholeRain;
let locked: string;
let other: string;
let release: () => Promise<void>;

beforeAll(async () => {
  rain = await WholeRain.start({ patient: false });
  ({ books } = rain);
});

beforeEach(async () => {
  [locked, other] = [await openRain(), await openRain()];
});

afterEach(async () => {
  jest.restoreAllMocks();
  expect(await books.broken()).toEqual([]);
});

afterAll(() => rain.stop());

const lock = async (sql: string, values: unknown[]): Promise<void> => {
  release = await books.hold((tx) => tx.query(sql, values));
};

const lockActivity = (id: string) => lock('select from activity where id = $1 for update', [id]);

const openRain = () => rain.openRain({ packets: 20 });

/** Opens a rain that shares its journal with another. */
async function sharing(id: string): Promise<string> {
  const { keys } = rain.dispensing;
  for (;;) {
    const another = await openRain();
    if (keys.shardOf(another) === keys.shardOf(id)) return another;
  }
}

const crowd = (name: string, count = 6): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`);

async function draw(activityId: string, userIds: string[]): Promise<Reservation[]> {
  const outcomes = await rain.dispensing.draw(activityId, ...userIds);
  return outcomes.map((outcome, i) => {
    if (outcome.kind !== 'won') throw new Error(outcome.kind);
    const shard = rain.dispensing.keys.shardOf(activityId);
    return { activityId, userId: userIds[i]!, packet: outcome.packet, shard, entry: outcome.entry };
  });
}

/** Returns the answers to the users of both activities, who tap at once. */
async function tapBoth(name: string): Promise<{ ofLocked: string[]; ofOther: string[] }> {
  const [mine, yours] = [await draw(locked, crowd(name)), await draw(other, crowd(name))];
  const mixed = mine.flatMap((reservation, i) => [reservation, yours[i]!]);
  const heard = await Promise.all(
    mixed.map((reservation) =>
      rain.confirmations.confirm(reservation).then(
        ({ verdict }) => verdict.kind,
        () => 'left to the sweeper',
      ),
    ),
  );
  return { ofLocked: heard.filter((_, i) => i % 2 === 0), ofOther: heard.filter((_, i) => i % 2 === 1) };
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isOutage(error) ? 'outage' : error instanceof Problem ? error.code : error;
};

const claimCount = async (activityId: string): Promise<number> =>
  (await books.wonPackets.listOfActivity(activityId, 0, 100)).length;

const all = (kind: string): string[] => crowd('').map(() => kind);

describe('a lock that a transaction holds on an activity', () => {
  it('does not delay winners of another activity in the same batch; the winners of its activity are confirmed when it is gone', async () => {
    await lockActivity(locked);
    expect(await tapBoth('first')).toEqual({
      ofLocked: all('left to the sweeper'),
      ofOther: all('confirmed'),
    });
    await release();
    await rain.journal.sweep(0);
    expect(await claimCount(locked)).toBe(6);
  });

  it('is not assumed for an activity that Postgres does not know: its reservation is refused', async () => {
    const [mine] = await draw(locked, crowd('ann', 1));
    await lockActivity(locked);
    const unknown = { ...mine!, activityId: '999999', userId: 'bob', entry: undefined };
    const heard = await Promise.allSettled(
      [mine!, unknown].map((reservation) => rain.confirmations.confirm(reservation)),
    );
    expect(heard).toMatchObject([
      { status: 'rejected' },
      { status: 'fulfilled', value: { verdict: { kind: 'unknown-packet' } } },
    ]);
    await release();
    await rain.journal.sweep(0);
  });

  it('delays only the first batch that mixes its activity with others', async () => {
    await lockActivity(locked);
    const confirm = jest.spyOn(books.claims, 'confirm');
    for (const name of ['first', 'second', 'third'])
      expect((await tapBoth(name)).ofOther).toEqual(all('confirmed'));
    const activitiesOfEach = confirm.mock.calls.map(
      ([batch]) => new Set(batch.map(({ activityId }) => activityId)).size,
    );
    expect(activitiesOfEach.filter((count) => count > 1)).toHaveLength(1);
    await release();
    await rain.journal.sweep(0);
  });

  it('leaves no delay behind: new winners are confirmed at once', async () => {
    await lockActivity(locked);
    await tapBoth('first');
    await release();
    expect(await tapBoth('second')).toEqual({ ofLocked: all('confirmed'), ofOther: all('confirmed') });
    await rain.journal.sweep(0);
  });

  it('does not prevent the sweep of the journal from deciding the reservations of all other activities, in any order', async () => {
    const neighbour = await sharing(locked);
    await draw(locked, crowd('before'));
    await draw(neighbour, crowd('between'));
    await draw(locked, crowd('after'));
    await lockActivity(locked);
    expect(await rain.journal.sweep(0)).toBe(6);
    expect([await claimCount(neighbour), await claimCount(locked)]).toEqual([6, 0]);

    await release();
    expect(await rain.journal.sweep(0)).toBe(12);
    expect(await claimCount(locked)).toBe(12);
  });

  it('prevents the activity from being closed while reservations wait, and the attempt loses nothing', async () => {
    await draw(locked, crowd('before'));
    await lockActivity(locked);
    expect(await failureOf(rain.end(locked))).toBe('activity.close_unavailable');
    await release();
    expect(await rain.end(locked)).toBe(true);
    expect(await claimCount(locked)).toBe(6);
  });

  it('makes the drain of its journal fail, but not the drain of an activity that shares that journal', async () => {
    const neighbour = await sharing(locked);
    const drain = (id: string) => rain.journal.drain(rain.dispensing.keys.placeOf(id));
    await draw(locked, crowd('before'));
    await draw(neighbour, crowd('between'));
    await lockActivity(locked);
    await expect(drain(locked)).rejects.toThrow('6 reservations are held up');
    await drain(neighbour);
    expect([await claimCount(neighbour), await claimCount(locked)]).toEqual([6, 0]);

    await release();
    await drain(locked);
    expect(await claimCount(locked)).toBe(6);
  });

  it('makes the refund give up in time, as in an outage, without moving money', async () => {
    await lock('select from activity where id = $1 for key share', [locked]);
    expect(await failureOf(rain.end(locked))).toBe('outage');
    await release();
    expect(await books.balance(locked, 'escrow')).toBe(2_000n);
    expect(await rain.end(locked)).toBe(true);
    expect(await books.balance(locked, 'escrow')).toBe(0n);
  });

  it('makes a top-up give up in time, as in an outage, without changing anything', async () => {
    await lockActivity(locked);
    expect(await failureOf(books.topUp(locked, { packets: 2 }))).toBe('outage');
    await release();
    expect(await books.activities.findActivity(locked)).toMatchObject({ packetCount: 20 });
    expect(await books.packetAmounts(locked)).toHaveLength(20);
  });
});

describe('a lock that a transaction holds on a row that a settlement needs', () => {
  const claimsOf = (verdicts: readonly ConfirmVerdict[]): string[] =>
    verdicts.flatMap((verdict) => (verdict.kind === 'confirmed' ? verdict.claimId! : []));

  const lockWallet = (ownerId: string) =>
    lock(
      `insert into account (owner_id, kind, currency) values ($1, 'wallet', 'CNY')
       on conflict on constraint account_owner_unique do update set status = account.status`,
      [ownerId],
    );

  const attempts = async (): Promise<number> => {
    const [row]: { attempts: number }[] = await books.dataSource.query(
      'select coalesce(sum(attempts), 0)::integer as attempts from unsettled_claim',
    );
    return row!.attempts;
  };

  it.each([0, 150, 300])('delays only claim %i of 301, whose wallet is locked', async (place) => {
    const users = crowd(`winner-${place}`, 301);
    const claimIds = await books.claim(await books.activity({ packets: 301 }), users);
    await lockWallet(users[place]!);
    expect(await books.settlement.settle(claimIds)).toMatchObject({
      paid: 300,
      buried: 0,
      retry: [claimIds[place]],
    });
    expect(await attempts()).toBe(0);
    await release();
    expect(await books.settlement.settle([claimIds[place]!])).toMatchObject({
      paid: 1,
      buried: 0,
      retry: [],
    });
  });

  it('does not delay claims of other escrows; the claims of the locked escrow are left for later', async () => {
    const held = await books.claim(locked, crowd('held', 20));
    const free = await books.claim(other, crowd('free', 20));
    const claimIds = held.flatMap((claimId, i) => [claimId, free[i]!]);
    await lock(`select from account where owner_id = $1 and kind = 'escrow' for update`, [locked]);
    const { paid, buried, retry } = await books.settlement.settle(claimIds);
    expect({ paid, buried, left: [...retry].sort() }).toEqual({ paid: 20, buried: 0, left: held.sort() });
    expect(await attempts()).toBe(0);
    await release();
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 20, buried: 0, retry: [] });
  });

  it('does not delay the neighbours of an unpaid claim whose row is locked', async () => {
    const claimIds = claimsOf(await rain.grab(other, ...crowd('neighbour')));
    await lock('select from unsettled_claim where claim_id = $1 for update', [claimIds[2]]);
    expect(await books.settlement.settle(claimIds)).toMatchObject({
      paid: 5,
      buried: 0,
      retry: [claimIds[2]],
    });
    await release();
    expect(await books.settlement.settle(claimIds)).toMatchObject({ paid: 1, buried: 0, retry: [] });
  });
});
