import type { EntityManager } from 'typeorm';
import type { Reservation } from '../../libs/redis-scripts';
import type { GrabOutcome } from '../../src/core/grab/tap/grab-outcome';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { confirmFile } from '../../src/core/grab/confirm/schema';
import { Admissions } from '../../src/core/grab';
import { WaitlistLeader } from '../../src/extensions/waitlist/waitlist-leader';
import { WaitlistService } from '../../src/extensions/waitlist/waitlist.service';
import { type ActivityWish, reservationOf } from '../harness/books';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

let apis: Graph[];

proveBooks();
shareRain();

beforeAll(async () => {
  apis = [await rain.openApi(), await rain.openApi()];
  await rain.trust(...apis);
});

afterEach(() => confirmAll());

async function confirmAll(): Promise<void> {
  for (const api of apis) await api.get(ConfirmService).beforeApplicationShutdown();
  await rain.confirmations.beforeApplicationShutdown();
}

const open = (sponsorId: string, wish: Partial<ActivityWish> = {}) =>
  rain.openRain({ packets: 3, sponsorId, limits: { perUser: 1 }, ...wish });

const HELD = { hold: true, mayLimit: true };

let taps = 0;

/** Taps at the APIs in turn. */
async function grab(id: string, userId: string): Promise<GrabOutcome> {
  const api = apis[taps++ % apis.length]!;
  return api.get(GrabService).grab(id, userId, await api.get(Admissions).admitUser(id, userId, {}));
}

const kindOf = async (id: string, userId: string): Promise<string> => (await grab(id, userId)).kind;

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const tally = (kinds: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]));

const countsOf = (sponsorId: string) =>
  books.dataSource.query<{ user: string; wins: number; days: Record<string, number> }[]>(
    `select user_id as user, wins, days from win_count where sponsor_id = $1 order by user_id`,
    [sponsorId],
  );

/** The number of claims to be paid. */
async function owedOf(activityId: string): Promise<number> {
  const [row]: { count: number }[] = await books.dataSource.query(
    `select count(*)::integer as count from unsettled_claim where activity_id = $1`,
    [activityId],
  );
  return row!.count;
}

async function drawn(activityId: string, userId: string): Promise<Reservation> {
  const [outcome] = await dispensing.draw(activityId, userId);
  if (outcome?.kind !== 'won') throw new Error(`${userId} was answered ${outcome?.kind}.`);
  const { packet, entry } = outcome;
  return { activityId, userId, packet, entry, shard: dispensing.keys.shardOf(activityId) };
}

/** The journal entries that name an activity. */
async function journaledOf(id: string): Promise<string[]> {
  const journal = dispensing.keys.journal(dispensing.keys.shardOf(id));
  const entries = await dispensing.redis.xrange(journal, '-', '+');
  return entries.flatMap(([, fields]) =>
    fields.some((field) => field.split(' ')[0] === id) ? [fields.join(' ')] : [],
  );
}

const answerOf = (id: string, userId: string): Promise<string> =>
  kindOf(id, userId).catch((error: unknown) => codeOf(Promise.reject(error as Error)));

/** Draws like a process that dies before it confirms. */
const drawAndDie = async (id: string, userId: string): Promise<void> => void (await drawn(id, userId));

/** Decides everything in the journal, like the sweeper. */
async function recover(): Promise<void> {
  await rain.journal.sweep(0);
  await confirmAll();
}

/** Confirms the only packet of a rain with limits in a transaction of someone else. */
const confirmIn = (tx: EntityManager, id: string, userId: string): Promise<unknown> =>
  tx.query(
    `select from confirm_limited_${confirmFile.version}(array[$1::bigint], '{1}', array[$2], '{false}', array[$1], array[$1])`,
    [id, userId],
  );

const FULL = new Error('The disk is full.');

/** Lets a user of this sponsor have as many wins as they may. */
async function exhaust(sponsorId: string, userId: string, wish?: Partial<ActivityWish>): Promise<string> {
  const id = await open(sponsorId, wish);
  expect(await kindOf(id, userId)).toBe('won');
  return id;
}

describe('limits', () => {
  it('give exactly the allowed wins to a user who taps 1,000 times at once at 50 rains, some over parts, through two programs', async () => {
    const limits = { perUser: 7 };
    const rains: string[] = [];
    for (let i = 0; i < 50; i++)
      rains.push(await open('many', { limits, packets: 3, parts: i % 5 === 0 ? 2 : 1 }));
    const kinds = await Promise.all(times(1_000, (i) => kindOf(rains[i % 50]!, 'ann')));
    expect(new Set(kinds)).toEqual(new Set(['won', 'already', 'limit']));
    expect(kinds.filter((kind) => kind === 'won').length).toBeLessThanOrEqual(7);
    expect((await countsOf('many'))[0]).toMatchObject({ user: 'ann', wins: 7 });
    expect(await Promise.all(rains.map((id) => kindOf(id, 'bob')))).toEqual(
      expect.arrayContaining([...times(7, () => 'won'), ...times(43, () => 'limit')]),
    );
  });

  it('hold if each win of a user has its own transaction and connection', async () => {
    const limits = { perUser: 5, perUserPerDay: 4 };
    const rains: string[] = [];
    for (let i = 0; i < 20; i++) rains.push(await books.activity({ packets: 1, sponsorId: 'apart', limits }));
    const confirm = () => Promise.all(rains.map((id) => books.claims.confirm([reservationOf(id, 'ann', 1)])));
    await books.claims.confirm([reservationOf(rains[0]!, 'ann', 1)]);
    expect(tally((await confirm()).map(([verdict]) => verdict!.kind))).toEqual({ confirmed: 4, limit: 16 });
    expect(tally((await confirm()).map(([verdict]) => verdict!.kind))).toEqual({ confirmed: 4, limit: 16 });
  });

  describe.each(['first', 'second'])('make a win wait for the %s win of the same user', (nth) => {
    const perUser = nth === 'first' ? 1 : 2;
    let asked: string;
    let other: string;

    beforeEach(async () => {
      const wish = { packets: 1, sponsorId: `${nth}-${(taps += 1)}`, limits: { perUser } };
      if (nth === 'second') await books.claim(await books.activity(wish), ['ann']);
      [other, asked] = [await books.activity(wish), await books.activity(wish)];
    });

    /** Resolves when the win waits. */
    async function confirmMeanwhile(): Promise<{ verdict: Promise<string> }> {
      const verdicts = books.claims.confirm([reservationOf(asked, 'ann', 1)]);
      await waitFor(async () => (await books.blocked()).length > 0, { what: 'a win that waits' });
      return { verdict: verdicts.then(([verdict]) => verdict!.kind) };
    }

    it('which counts if it is committed', async () => {
      const commit = await books.hold((tx) => confirmIn(tx, other, 'ann'));
      const { verdict } = await confirmMeanwhile();
      await commit();
      expect(await verdict).toBe('limit');
    });

    it('which does not count if it is undone, and the day is that of the claim', async () => {
      let undone!: Date;
      let waiting!: { verdict: Promise<string> };
      const undoing = books.dataSource.transaction(async (tx) => {
        await confirmIn(tx, other, 'ann');
        waiting = await confirmMeanwhile();
        undone = new Date();
        throw FULL;
      });
      await expect(undoing).rejects.toBe(FULL);
      expect(await waiting.verdict).toBe('confirmed');
      const { confirmedAt } = (await books.wonPackets.findClaim(asked, 'ann'))!;
      expect(confirmedAt < undone).toBe(nth === 'first');
    });
  });

  it('do not count the first win of a user whose packet belongs to someone else', async () => {
    const wish = { packets: 1, sponsorId: 'beaten', limits: { perUser: 1 } };
    const [taken, free] = [await books.activity(wish), await books.activity(wish)];
    await books.claim(taken, ['ann']);
    await books.claims.confirm([reservationOf(taken, 'bob', 1)]);
    expect(await countsOf('beaten')).toEqual([
      { user: 'ann', wins: 1, days: expect.anything() as object },
      { user: 'bob', wins: 0, days: {} },
    ]);
    expect(await books.claim(free, ['bob'])).toHaveLength(1);
  });

  it('do not walk through the counts of a large group when the packets of first wins belong to others', async () => {
    const limits = { perUser: 1, group: 'large' };
    const id = await books.activity({ packets: 16, sponsorId: 'large', limits });
    await books.claim(
      id,
      times(16, (i) => `owner-${i}`),
    );
    let blocks = 0;
    const undone = books.dataSource.transaction(async (tx) => {
      await tx.query(
        `insert into win_count (sponsor_id, group_name, user_id, wins)
         select 'large', 'large', 'known-' || no, 1 from generate_series(1, 20000) as no`,
      );
      const users = times(16, (i) => `late-${i}`);
      const [{ 'QUERY PLAN': plan }] = await tx.query<[{ 'QUERY PLAN': { Plan: Record<string, number> }[] }]>(
        `explain (analyze, buffers, format json)
         select from confirm_limited_${confirmFile.version}(array_fill($1::bigint, '{16}'), $2, $3, array_fill(false, '{16}'), array[$1], array[$1])`,
        [id, times(16, (i) => i + 1), users],
      );
      blocks = plan[0]!.Plan['Shared Hit Blocks']!;
      throw FULL;
    });
    await expect(undone).rejects.toBe(FULL);
    expect(blocks).toBeGreaterThan(0);
    expect(blocks).toBeLessThan(2_000);
  });

  describe.each([
    ['two who never won', []],
    ['one who has won, and one who has not', ['ann']],
    ['one who has not won, and one who has', ['bob']],
    ['two who have won', ['ann', 'bob']],
  ])('distinguish two users to whom a lost Redis gave the same packet: %s', (_, known) => {
    it.each([
      [true, false],
      [false, true],
    ])('the first win is to be held: %s, the second: %s', async (holdsFirst, holdsSecond) => {
      const wish = { packets: 1, sponsorId: `one-packet-${(taps += 1)}`, limits: { perUser: 2 } };
      for (const userId of known) await books.claim(await books.activity(wish), [userId]);
      const id = await books.activity(wish);
      const both = [
        { ...reservationOf(id, 'ann', 1), hold: holdsFirst },
        { ...reservationOf(id, 'bob', 1), hold: holdsSecond },
      ];
      const kinds = (await books.claims.confirm(both)).map(({ kind }) => kind);
      const winner = kinds.indexOf('confirmed');
      expect(kinds.filter((kind) => kind === 'confirmed')).toHaveLength(1);
      expect(await owedOf(id)).toBe([holdsFirst, holdsSecond][winner] ? 0 : 1);
      expect((await countsOf(wish.sponsorId)).map(({ user, wins }) => [user, wins])).toEqual(
        ['ann', 'bob'].map((user, i) => [user, Number(known.includes(user)) + Number(i === winner)]),
      );
    });
  });

  it('do not refuse any of 1,000 users who are one win short of them', async () => {
    const limits = { perUser: 2, perUserPerDay: 2 };
    const users = times(1_000, (i) => `below-${i}`);
    await books.claim(await books.activity({ packets: 1_000, sponsorId: 'crowd', limits }), users);
    const rains = await Promise.all([1, 4].map((parts) => open('crowd', { packets: 600, limits, parts })));
    const kinds = await Promise.all(users.map((user, i) => kindOf(rains[i % 2]!, user)));
    expect(tally(kinds)).toEqual({ won: 1_000 });
    expect((await countsOf('crowd')).every(({ wins }) => wins === 2)).toBe(true);
    const more = await open('crowd', { packets: 500, limits });
    expect(tally(await Promise.all(users.slice(0, 300).map((user) => kindOf(more, user))))).toEqual({
      limit: 300,
    });
  });

  it('start over at midnight in their zone, and count each win for the day of its claim', async () => {
    const limits = { perUserPerDay: 3 };
    const rains = await Promise.all(times(12, () => open('night', { limits, packets: 1_000 })));
    const [{ zone }]: [{ zone: string }] = await books.dataSource.query(
      `select 'X' || to_char(clock_timestamp() at time zone 'UTC' + interval '1500 ms', 'HH24:MI:SS') as zone`,
    );
    await books.dataSource.query(
      `update activity set limits = jsonb_set(limits, '{timeZone}', to_jsonb($1::text)) where sponsor_id = 'night'`,
      [zone],
    );
    const days = async () => Object.values((await countsOf('night'))[0]?.days ?? {});
    const tapAll = () => Promise.all(rains.map((id) => kindOf(id, 'ann')));
    await tapAll();
    expect(await days()).toEqual([3]);
    await waitFor(async () => (await tapAll()) && (await days()).length === 2, { what: 'midnight' });
    await tapAll();
    expect(await days()).toEqual([3, 3]);
  });

  it('hold on each day of a user who wins on many days, and on a day to which a fast clock returns', async () => {
    // A zone that is whole days ahead of UTC moves the day as a clock would.
    const answersOn = async (days: number) => {
      const rains = [
        await open('days', { limits: { perUserPerDay: 1 } }),
        await open('days', { limits: { perUserPerDay: 1 } }),
      ];
      await books.dataSource.query(
        `update activity set limits = jsonb_set(limits, '{timeZone}', to_jsonb($2::text)) where id = any($1::bigint[])`,
        [rains, `X${-24 * days}`],
      );
      return [await kindOf(rains[0]!, 'ann'), await kindOf(rains[1]!, 'ann')];
    };
    for (let day = -5; day <= 6; day++)
      expect([day, ...(await answersOn(day))]).toEqual([day, 'won', 'limit']);
    expect(await answersOn(-6)).toEqual(['won', 'limit']);
    const [counts] = await countsOf('days');
    expect(Object.keys(counts!.days)).toHaveLength(8);
  });

  it('count together in one group of one sponsor, each rain by its own numbers, and do not count rains without limits', async () => {
    const group = (name: string, perUser: number) => ({ limits: { perUser, group: name } });
    await exhaust('groups', 'ann');
    await exhaust('groups', 'ann', group('spring', 1));
    await exhaust('groups', 'ann', group('été', 1));
    await exhaust('groups', 'ann', { limits: undefined });
    await exhaust('other', 'ann');
    expect(await kindOf(await open('groups'), 'ann')).toBe('limit');
    for (const name of ['spring', ' spring ', 'e\u0301te\u0301'])
      expect(await kindOf(await open('groups', group(name, 1)), 'ann')).toBe('limit');
    expect(await kindOf(await open('groups', group('spring', 2)), 'ann')).toBe('won');
    expect(await kindOf(await open('groups', group('spring', 2)), 'ann')).toBe('limit');
    expect(await kindOf(await open('groups', { limits: undefined }), 'ann')).toBe('won');
  });

  it('are answered after already, closed, not open and sold out, and before a win', async () => {
    const held = await exhaust('order', 'ann');
    const closed = await open('order');
    await rain.end(closed);
    const soldOut = await open('order', { packets: 1 });
    expect(await kindOf(soldOut, 'bob')).toBe('won');
    const rains = [held, closed, await open('order', { opensInMs: 600_000 }), soldOut, await open('order')];
    const kinds = await Promise.all(rains.map((id) => kindOf(id, 'ann')));
    expect(kinds).toEqual(['already', 'closed', 'not-open', 'sold-out', 'limit']);
    expect(await kindOf(rains[4]!, 'cem')).toBe('won');
  });

  it.each([1, 2])(
    'keep others from being answered "sold-out" while the last packet, of a rain of %s parts, is drawn by a user who may not have it',
    async (parts) => {
      const sponsorId = `last-${parts}`;
      await exhaust(sponsorId, 'ann');
      const id = await open(sponsorId, { packets: parts, parts });
      for (const place of dispensing.keys.placesOf({ id, parts })) {
        const draw = { activityId: id, userIds: ['ann'] };
        if (parts === 1) await dispensing.reservations.draw(place.shard, [draw]);
        else await dispensing.reservations.drawFromParts(place.shard, [{ ...draw, parts }]);
      }
      expect(await codeOf(grab(id, 'bob'))).toBe('grab.unavailable');
      const waiting = kindOf(id, 'bob');
      await recover();
      expect(await waiting).toBe('won');
    },
  );

  it.each([
    ['a win', {}],
    ['a refusal', { limits: { perUser: 1 } }],
  ] as const)(
    'leave no journal entry behind when %s is decided for a draw and for a tap that had already found its packet',
    async (_, wish) => {
      const sponsorId = `joined-${Object.keys(wish).length}`;
      await exhaust(sponsorId, 'ann');
      const id = await open(sponsorId, { limits: { perUser: 2 }, ...wish });
      const { entry, ...found } = await drawn(id, 'ann');
      const service = apis[0]!.get(ConfirmService);
      await Promise.all([service.confirm(found), service.confirm({ ...found, entry })]);
      await confirmAll();
      expect(await journaledOf(id)).toEqual([]);
    },
  );

  it('do not keep packets from others while a user who has reached them keeps tapping', async () => {
    await exhaust('storm', 'ann');
    const id = await open('storm', { packets: 2 });
    expect(await kindOf(id, 'bob')).toBe('won');
    let isOver = false;
    const heard = new Set<string>();
    const tapOnAndOn = async () => {
      while (!isOver) heard.add(await answerOf(id, 'ann'));
    };
    const storm = times(8, tapOnAndOn);
    await waitFor(async () => (await answerOf(id, 'cem')) === 'won', { what: 'the packet of cem' });
    const late: string[] = [];
    for (let i = 0; i < 20; i++) late.push(await answerOf(id, `late-${i}`));
    isOver = true;
    await Promise.all(storm);
    expect(tally(late)).toEqual({ 'sold-out': 20 });
    await confirmAll();
    expect(await journaledOf(id)).toEqual([]);
  });

  it('count a win once, however often the journal, a retry, or a Redis from an old snapshot brings it', async () => {
    const id = await open('replay', { limits: { perUser: 2 } });
    const shard = dispensing.keys.shardOf(id);
    await drawAndDie(id, 'ann');
    const [record] = await dispensing.journals.read(shard, '-', '+', 1);
    const { reservations } = record!;
    for (let again = 0; again < 3; again++)
      expect(await Promise.all(times(4, () => books.claims.confirm(reservations)))).toHaveLength(4);
    await recover();
    expect((await countsOf('replay'))[0]).toMatchObject({ wins: 1 });

    const { claims, packets } = dispensing.keys.at(dispensing.keys.placeOf(id));
    for (const isForgotten of [true, false]) {
      const packet = (await dispensing.redis.hget(claims, 'ann'))!;
      await dispensing.redis.hdel(claims, 'ann');
      if (isForgotten) await dispensing.redis.lpush(packets, packet.replace('!', ''));
      expect(await kindOf(id, 'ann')).toBe('already');
      await confirmAll();
    }
    await exhaust('replay', 'ann', { limits: { perUser: 2 } });
    expect((await countsOf('replay'))[0]).toMatchObject({ wins: 2 });
    expect(await kindOf(id, 'ann')).toBe('already');
  });

  it.each([undefined, { perUser: 5 }])(
    'of %j do not let a late reservation win a packet of a rain that has ended',
    async (limits) => {
      const id = await open('ended', { limits });
      // From now on the confirmation knows which of its forms the rain needs.
      await books.claim(id, ['bob']);
      await rain.end(id);
      expect(await books.claims.confirm([reservationOf(id, 'ann', 2)])).toEqual([{ kind: 'closed' }]);
    },
  );

  it('apply to wins that a sweeper confirms, that are held, and that a waiting list gives', async () => {
    await exhaust('ways', 'ann');
    const swept = await open('ways', { packets: 1 });
    await drawAndDie(swept, 'ann');
    await recover();
    expect(await kindOf(swept, 'bob')).toBe('won');

    const held = await open('ways');
    const api = apis[0]!.get(GrabService);
    expect((await api.grab(held, 'ann', HELD)).kind).toBe('limit');
    expect((await api.grab(held, 'cem', HELD)).kind).toBe('won');
    const [claim] = await books.wonPackets.listOfActivity(held, 0, 10);
    expect(claim).toMatchObject({ userId: 'cem', settlement: 'held' });
    expect(await owedOf(held)).toBe(0);

    const waited = await open('ways', { packets: 1 });
    expect(await kindOf(waited, 'dan')).toBe('won');
    for (const user of ['ann', 'eve'])
      expect((await dispensing.waitingLists.join(waited, user)).kind).toBe('waiting');
    await rain.topUp(waited, { packets: 1 });
    await waitFor(
      async () => {
        await rain.worker.get(WaitlistLeader).serve(waited, new AbortController().signal);
        await confirmAll();
        return (await kindOf(waited, 'eve')) === 'already';
      },
      { what: 'the packet of eve' },
    );
  });

  it('remove a user who has reached them from the waiting list, and the packet, in any part, goes to the next user', async () => {
    for (const user of ['ann', 'bob']) await exhaust('parts', user);
    const id = await open('parts', { parts: 3 });
    const places = dispensing.keys.placesOf({ id, parts: 3 });
    for (const [i, { shard }] of places.entries())
      await dispensing.reservations.drawFromParts(shard, [
        { activityId: id, parts: 3, userIds: [['cem', 'dan', 'ann'][i]!] },
      ]);
    for (const user of ['bob', 'eve', 'fay'])
      expect(await apis[0]!.get(WaitlistService).join(id, user)).toMatchObject({ activityId: id });
    await recover();
    await waitFor(
      async () => {
        await rain.worker.get(WaitlistLeader).serve(id, new AbortController().signal);
        await confirmAll();
        return (await dispensing.waitingLists.length(id)) === 1;
      },
      { what: 'the packet of eve' },
    );
    expect(await kindOf(id, 'eve')).toBe('already');
    expect((await dispensing.waitingLists.page(id, 1, 9)).users).toEqual(['fay']);
  });

  it('by the day of a zone that Postgres no longer knows neither hold up other rains nor lose a winner', async () => {
    const zoned = await exhaust('zoned', 'ann', { limits: { perUserPerDay: 1 } });
    const other = await open('plain', { limits: undefined });
    const putInZone = (zone: string) =>
      books.dataSource.query(
        `update activity set limits = jsonb_set(limits, '{timeZone}', to_jsonb($2::text)) where id = $1`,
        [zoned, zone],
      );
    const batch = await Promise.all([drawn(zoned, 'bob'), drawn(other, 'cem')]);
    await putInZone('Gone/Zone');
    expect(await rain.confirmations.confirmAll(batch)).toEqual([batch[0]]);
    expect(await kindOf(other, 'cem')).toBe('already');
    await putInZone('UTC');
    await recover();
    expect(await kindOf(zoned, 'bob')).toBe('already');
  });

  it('count a win that was declared void', async () => {
    const id = await exhaust('void', 'ann');
    const { id: claimId } = (await books.wonPackets.findClaim(id, 'ann'))!;
    const letter = await books.dataSource.transaction((tx) => books.letters.hold(tx, claimId, 'a robot'));
    await books.declareVoid(letter!.id);
    expect(await kindOf(await open('void'), 'ann')).toBe('limit');
  });
});
