import type { Packet } from '../../libs/redis-scripts';
import { RedisAgreement } from '../../src/core/reconciliation/redis-agreement';
import { waitFor } from '../harness/engines';
import { books, dispensing, rain, shareRain } from '../harness/shared-books';

const PACKETS = 8;

let activityId: string;

shareRain();

beforeAll(async () => {
  activityId = await rain.openRain({ packets: PACKETS });
  await rain.grab(activityId, 'ann', 'bob', 'cem');
});

/** Reloads Redis from the books, and leaves one reservation unconfirmed. */
beforeEach(async () => {
  await dispensing.redis.flushall();
  await rain.loader.load(activityId);
  await dispensing.draw(activityId, 'reserved');
});

/** Makes all top-ups older than a minute, so that nothing in Postgres was added recently. */
async function aMinuteLater(id: string): Promise<void> {
  const { dataSource } = books;
  await dataSource.transaction(async (tx) => {
    await tx.query('alter table top_up disable trigger append_only');
    await tx.query(
      `update top_up set created_at = created_at - interval '61 seconds' where activity_id = $1`,
      [id],
    );
    await tx.query('alter table top_up enable trigger append_only');
  });
}

/** Checks in a snapshot, after some work that it does not see. */
function check(work?: () => Promise<unknown>) {
  const agreement = new RedisAgreement(books.dataSource, dispensing.contents, dispensing.standings);
  return books.dataSource.transaction('REPEATABLE READ', async (snapshot) => {
    await snapshot.query('select 1 from claim');
    await work?.();
    return agreement.check((read) => read(snapshot));
  });
}

const keys = () => dispensing.keys.activity(activityId);

const text = ({ no, amountMinor }: Packet): string => `${no}:${amountMinor}`;

async function packetOf(userId: string): Promise<Packet> {
  return (await dispensing.held(activityId)).get(userId)!;
}

const inList = async (userId: string): Promise<unknown> =>
  dispensing.redis.lpush(keys().packets, text(await packetOf(userId)));

const move = (moment: string): Promise<unknown> =>
  books.dataSource.query(`update activity set ${moment} = ${moment} - interval '1 second' where id = $1`, [
    activityId,
  ]);

const BREACHES: [what: string, breaches: number, harm: () => Promise<unknown>][] = [
  [
    'a claim whose holder Redis does not know (so its packet is in neither place)',
    2,
    () => dispensing.redis.hdel(keys().claims, 'ann'),
  ],
  [
    'a claim that Redis gives another packet',
    1,
    async () => {
      const free = await dispensing.redis.lpop(keys().packets);
      const old = await packetOf('ann');
      await dispensing.redis.hset(keys().claims, 'ann', free!, 'somebody', text(old));
    },
  ],
  ['a claimed packet that is in the list again (listed, and listed though claimed)', 2, () => inList('ann')],
  ['a reserved packet that is in the list again', 1, () => inList('reserved')],
  ['a packet that is lost', 1, () => dispensing.redis.lpop(keys().packets)],
  ['all packets lost', PACKETS - 4, () => dispensing.redis.del(keys().packets)],
  [
    'a packet that is in the list twice',
    1,
    async () => dispensing.redis.rpush(keys().packets, (await dispensing.redis.lindex(keys().packets, 0))!),
  ],
  ['a packet that does not exist', 1, () => dispensing.redis.lpush(keys().packets, '999:100')],
  [
    'a packet with another amount',
    1,
    async () => {
      const [packet] = await dispensing.listed(activityId);
      await dispensing.redis.lset(
        keys().packets,
        0,
        text({ no: packet!.no, amountMinor: packet!.amountMinor + 1n }),
      );
    },
  ],
  [
    'a packet that two users hold',
    1,
    async () => dispensing.redis.hset(keys().claims, 'thief', text(await packetOf('reserved'))),
  ],
  [
    'a holder who is marked as confirmed and has no claim',
    1,
    async () => dispensing.redis.hset(keys().claims, 'reserved', `${text(await packetOf('reserved'))}!`),
  ],
  ['a key that will expire', 1, () => dispensing.redis.expire(keys().packets, 3_600)],
  ...['opens_at', 'closes_at'].map((moment): (typeof BREACHES)[number] => [
    `another ${moment} in Postgres`,
    1,
    () => move(moment),
  ]),
];

describe('the agreement of Redis and Postgres', () => {
  it('covers every packet: listed, reserved or claimed', async () => {
    expect(await check()).toEqual({ examined: PACKETS, breaches: 0 });
  });

  it.each(BREACHES)('is broken by %s', async (_, breaches, harm) => {
    await harm();
    expect(await check()).toEqual({ examined: PACKETS, breaches });
  });

  it('holds while a newly created or ended activity is on its way to Redis, for at most a minute', async () => {
    const setAge = (interval: string) =>
      books.dataSource.query(`update activity set created_at = now() - $1::interval where id = $2`, [
        interval,
        activityId,
      ]);
    await dispensing.redis.flushall();
    expect((await check()).breaches).toBe(0);
    await setAge('61 seconds');
    expect((await check()).breaches).toBe(1);

    await dispensing.close(activityId, 'any-time', await dispensing.window());
    expect((await check()).breaches).toBe(0);
    await dispensing.redis.hset(keys().state, 'endedAt', (await dispensing.nowMs()) - 61_000);
    expect((await check()).breaches).toBe(1);
    await setAge('0 seconds');
  });

  it('holds while packets that were added to an activity are on their way to Redis, for at most a minute', async () => {
    const other = await rain.openRain({ packets: 2 });
    await books.topUp(other, { packets: 2 });
    expect(await check()).toEqual({ examined: PACKETS + 4, breaches: 0 });

    await dispensing.redis.lpop(dispensing.keys.activity(other).packets);
    expect((await check()).breaches).toBe(1);

    await aMinuteLater(other);
    expect((await check()).breaches).toBe(3);
    await rain.loader.extend(other);
    expect((await check()).breaches).toBe(1);
    await rain.end(other);
  });

  it('holds while a later end of an activity is on its way to Redis, for at most a minute', async () => {
    const extended = async (by: string, ago: string) => {
      const id = await rain.openRain({ packets: 2 });
      await books.dataSource.query(
        `insert into audit_log (at, actor_id, action, subject)
         values (now() - $2::interval, 'operator', 'activity.extend', 'activity:' || $1::text)`,
        [id, ago],
      );
      await books.dataSource.query(`update activity set closes_at = closes_at + $2::interval where id = $1`, [
        id,
        by,
      ]);
      const { breaches } = await check();
      await rain.end(id);
      return breaches;
    };
    expect(await extended('1 hour', '1 second')).toBe(0);
    expect(await extended('1 hour', '61 seconds')).toBe(1);
    expect(await extended('-1 second', '1 second')).toBe(1);
  });

  it('is broken by a part that has another window than the others', async () => {
    const other = await rain.openRain({ packets: 6, parts: 3 });
    expect((await check()).breaches).toBe(0);
    const last = dispensing.keys.placesOf({ id: other, parts: 3 })[2]!;
    await dispensing.redis.hincrby(dispensing.keys.at(last).state, 'closesAt', -1_000);
    expect((await check()).breaches).toBe(1);
    await rain.end(other);
  });

  it('is broken when a packet that was added and loaded a moment ago is lost', async () => {
    const other = await rain.openRain({ packets: 2 });
    await rain.topUp(other, { packets: 2 });
    await dispensing.redis.rpop(dispensing.keys.activity(other).packets);
    expect((await check()).breaches).toBe(1);
    await rain.end(other);
  });

  it('holds even if packets are added and drawn after the snapshot was taken, as long as they are genuine', async () => {
    const other = await rain.openRain({ packets: 2 });
    const { breaches } = await check(async () => {
      await rain.topUp(other, { packets: 3 });
      await rain.grab(other, 'early');
      await dispensing.draw(other, 'reserved');
    });
    expect(breaches).toBe(0);
    const { packets } = dispensing.keys.activity(other);
    expect((await check(() => dispensing.redis.rpush(packets, '6:100'))).breaches).toBe(1);
    await rain.end(other);
  });

  it('holds even if a claim is made after the snapshot was taken', async () => {
    const other = await rain.openRain({ packets: 2 });
    const agreed = await check(async () => {
      const [verdict] = await rain.grab(other, 'late');
      expect(verdict?.kind).toBe('confirmed');
      expect((await dispensing.held(other)).get('late')?.confirmed).toBe(true);
    });
    expect(agreed).toEqual({ examined: PACKETS + 2, breaches: 0 });
    await rain.end(other);
  });
});

describe('the agreement, while rains end,', () => {
  /** Checks like `verify`: each read of Postgres has a snapshot of its own. */
  const checkAfresh = () =>
    new RedisAgreement(books.dataSource, dispensing.contents, dispensing.standings).check((look) =>
      books.dataSource.transaction('REPEATABLE READ', look),
    );

  /** Does some work after Redis was asked for the status of an activity, and before anything else. */
  const between = (id: string, work: () => Promise<unknown>): void => {
    const { contents } = dispensing;
    const look = contents.expiringKeys.bind(contents);
    const looking = jest.spyOn(contents, 'expiringKeys').mockImplementation(async (place) => {
      if (place.id === id) {
        looking.mockRestore();
        await work();
      }
      return look(place);
    });
  };

  async function rainWithWinner(): Promise<string> {
    const id = await rain.openRain({ packets: 3 });
    await rain.grab(id, 'ann');
    return id;
  }

  it('does not count packets as lost that a close has since taken away', async () => {
    const id = await rainWithWinner();
    between(id, () => rain.end(id));
    expect((await checkAfresh()).breaches).toBe(0);
  });

  it('does not count what has since been tidied up', async () => {
    const id = await rainWithWinner();
    const activity = (await books.activities.findActivity(id))!;
    await rain.refund(id);
    between(id, () => rain.closing.tidyUpOrLeave(activity));
    expect((await checkAfresh()).breaches).toBe(0);
  });

  it('still counts a packet that is lost', async () => {
    const id = await rainWithWinner();
    await dispensing.redis.lpop(dispensing.keys.activity(id).packets);
    expect((await checkAfresh()).breaches).toBe(1);
    await rain.end(id);
  });
});

describe('Redis and Postgres agree about an ended activity that Redis still holds', () => {
  let ended: string;
  const endedKeys = () => dispensing.keys.activity(ended);
  const areConfirmed = async () =>
    Array.from((await dispensing.held(ended)).values()).filter(({ confirmed }) => confirmed).length === 2;
  const tidied = (when: string) =>
    books.dataSource.query(`update activity set tidied_at = ${when} where id = $1`, [ended]);

  /** Two of three packets were taken; the end is too long ago for anything on its way to Redis. */
  beforeEach(async () => {
    ended = await rain.openRain({ packets: 3 });
    await rain.grab(ended, 'ann', 'bob');
    await waitFor(areConfirmed, { what: 'Redis to know the claims' });
    await rain.end(ended);
    await tidied('now()');
  });
  afterEach(() => books.dataSource.query(`update activity set forgotten_at = now() where id = $1`, [ended]));

  it('when it holds exactly the claims and no packets', async () => {
    expect(await check()).toEqual({ examined: PACKETS + 2, breaches: 0 });
  });

  it.each<[what: string, breaches: number, harm: () => Promise<unknown>]>([
    ['a winner whom Redis does not know', 1, () => dispensing.redis.hdel(endedKeys().claims, 'ann')],
    [
      'a winner whom Postgres does not know',
      1,
      () => dispensing.redis.hset(endedKeys().claims, 'eve', '3:100!'),
    ],
    [
      'a winner with another packet, for whom the right one is missing',
      2,
      () => dispensing.redis.hset(endedKeys().claims, 'ann', '3:100!'),
    ],
    ['a packet that is still listed', 1, () => dispensing.redis.rpush(endedKeys().packets, '3:100')],
    ['a state that is open', 1, () => dispensing.redis.hset(endedKeys().state, 'status', 'open')],
    ['claims that will expire', 1, () => dispensing.redis.expire(endedKeys().claims, 3_600)],
  ])('but not with %s', async (_, breaches, harm) => {
    await harm();
    expect((await check()).breaches).toBe(breaches);
  });

  it('but not when Postgres has lost a claim that Redis still promises', async () => {
    await books.dataSource.query(`delete from claim where activity_id = $1 and user_id = 'ann'`, [ended]);
    expect((await check()).breaches).toBe(1);
  });

  it('while the activity is not tidied up yet, for at most a minute', async () => {
    await dispensing.redis.hdel(endedKeys().claims, 'ann');
    await tidied('null');
    expect((await check()).breaches).toBe(0);
    await books.dataSource.query(
      `update activity set closed_at = now() - interval '61 seconds' where id = $1`,
      [ended],
    );
    expect((await check()).breaches).toBe(1);
  });

  it('once Redis holds nothing of the activity, or Postgres says that it is forgotten', async () => {
    await dispensing.redis.hdel(endedKeys().claims, 'ann');
    await books.dataSource.query(`update activity set forgotten_at = now() where id = $1`, [ended]);
    expect((await check()).breaches).toBe(0);
    await books.dataSource.query(`update activity set forgotten_at = null where id = $1`, [ended]);
    await dispensing.redis.del(...(Object.values(endedKeys()) as string[]));
    expect((await check()).breaches).toBe(0);
  });
});
