import type { EntityManager } from 'typeorm';
import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { PacketAdditions } from '../../src/core/lifecycle/add/packet-additions';
import { TopUpService } from '../../src/core/lifecycle/add/top-up.service';
import { CreditOutlet } from '../../src/core/outlet';
import { ActivityLoader } from '../../src/core/recovery/restore/activity-loader';
import { LoadingRepository } from '../../src/core/recovery/record/loading.repository';
import { ActivityViews } from '../../src/core/activity/activity-views';
import { Visibility } from '../../src/core/activity';
import { Problem } from '../../libs/problem';
import type { Caller } from '../../src/platform/http';
import { OPERATOR, requestOf, reservationOf, sum } from '../harness/books';
import { numbersOf } from '../harness/dispensing';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

const HOUR_MS = 3_600_000;

proveBooks();
shareRain();

beforeAll(async () => {
  await rain.sweep();
});

afterEach(() => jest.restoreAllMocks());

const openRain = (packets = 2) => rain.openRain({ packets });

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

const usersUpTo = (count: number, name = 'user'): string[] => upTo(count).map((i) => `${name}-${i}`);

const listedNos = async (activityId: string): Promise<number[]> =>
  numbersOf(await dispensing.listed(activityId)).sort((a, b) => a - b);

async function phaseOf(activityId: string): Promise<string> {
  const visibility = books.serviceOf(Visibility);
  const views = new ActivityViews(dispensing.standings, new CreditOutlet(), books.currencies, visibility);
  return (await views.one((await books.activities.findActivity(activityId))!)).phase;
}

/** Confirms in the transaction `tx`. */
async function confirmIn(tx: EntityManager, activityId: string, userId: string, no: number): Promise<void> {
  const [verdict] = await new ClaimRepository(tx, books.config).confirm([
    reservationOf(activityId, userId, no),
  ]);
  expect(verdict).toMatchObject({ kind: 'confirmed' });
}

/** Leaves a mark in Redis that is lost when the activity is reloaded. */
async function mark(activityId: string): Promise<{ stillThere: () => Promise<boolean> }> {
  const { state } = dispensing.keys.activity(activityId);
  await dispensing.redis.hset(state, 'mark', 'x');
  return { stillThere: async () => (await dispensing.redis.hget(state, 'mark')) === 'x' };
}

describe('a top-up', () => {
  it('is split separately, and its packets come after the earlier ones', async () => {
    const activityId = await books.activity({ packets: 3, totalMinor: 300n });
    await books.topUp(activityId, {
      packets: 4,
      totalMinor: 4_000n,
      split: { kind: 'random', min: '9.00', max: '11.00' },
    });
    const amounts = await books.packetAmounts(activityId);
    expect(sum(amounts.slice(0, 3))).toBe(300n);
    expect(sum(amounts.slice(3))).toBe(4_000n);
    for (const amount of amounts.slice(3)) expect(amount >= 900n && amount <= 1_100n).toBe(true);
    expect(await books.activities.findActivity(activityId)).toMatchObject({
      packetCount: 7,
      totalMinor: 4_300n,
    });
  });

  it('may come before the opening', async () => {
    const ahead = { opensInMs: HOUR_MS, closesInMs: 2 * HOUR_MS };
    const activityId = await rain.openRain({ packets: 2, ...ahead });
    await rain.topUp(activityId, { packets: 2 });
    expect(await listedNos(activityId)).toEqual([1, 2, 3, 4]);
    expect(await phaseOf(activityId)).toBe('scheduled');
  });

  it('arrives whole in many pages, even if users draw in between', async () => {
    const activityId = await openRain();
    const extend = dispensing.loading.extend.bind(dispensing.loading);
    let pages = 0;
    jest.spyOn(dispensing.loading, 'extend').mockImplementation(async (...page) => {
      const cursor = await extend(...page);
      pages += 1;
      await rain.grab(activityId, ...usersUpTo(3, `page-${pages}`));
      return cursor;
    });
    await rain.topUp(activityId, { packets: 1_201 });
    expect(pages).toBe(3);
    expect(await dispensing.readStanding(activityId)).toMatchObject({
      status: 'open',
      packetsLeft: 1_203 - 9,
      held: 9,
      packetCursor: 1_203,
    });
    const held = [...(await dispensing.held(activityId)).values()].map(({ no }) => no);
    expect([...(await listedNos(activityId)), ...held].sort((a, b) => a - b)).toEqual(upTo(1_203));
  });

  it.each([500, 501, 1_000])('arrives whole with %i packets', async (packets) => {
    const activityId = await openRain(1);
    await rain.topUp(activityId, { packets });
    expect(await listedNos(activityId)).toEqual(upTo(packets + 1));
    expect((await dispensing.readStanding(activityId)).packetCursor).toBe(packets + 1);
  });

  it('arrives whole if several come at once, each packet with its own number', async () => {
    const activityId = await openRain();
    const sizes = [1, 2, 3, 4, 5];
    await Promise.all(sizes.map((packets) => rain.topUp(activityId, { packets })));
    expect(await listedNos(activityId)).toEqual(upTo(17));
    expect(await books.activities.findActivity(activityId)).toMatchObject({
      packetCount: 17,
      totalMinor: 1_700n,
    });
  });

  it('neither blocks nor is blocked by confirmations', async () => {
    const activityId = await openRain(200);
    const grabbing = (async () => {
      const verdicts: ConfirmVerdict[] = [];
      for (const user of usersUpTo(100, 'busy')) verdicts.push(...(await rain.grab(activityId, user)));
      return verdicts;
    })();
    for (let time = 0; time < 5; time++) await rain.topUp(activityId, { packets: 10 });
    const verdicts = await grabbing;
    expect(verdicts.map(({ kind }) => kind)).toEqual(Array(100).fill('confirmed'));
    await books.settleConfirmed(verdicts);
    expect(await dispensing.readStanding(activityId)).toMatchObject({
      packetsLeft: 150,
      held: 100,
      packetCursor: 250,
    });
  });
});

describe('confirmations', () => {
  it('do not keep a top-up waiting while they are in progress', async () => {
    const activityId = await openRain();
    const commit = await books.hold((tx) => confirmIn(tx, activityId, 'ann', 1));
    await books.topUp(activityId, { packets: 2 });
    await commit();
    expect(await books.activities.findActivity(activityId)).toMatchObject({ packetCount: 4 });
  });

  it('do not wait for a top-up in progress', async () => {
    const activityId = await openRain();
    await books.deposit('sponsor', 200n);
    const body = { amount: '2.00', packetCount: 2 };
    const commit = await books.hold((tx) => books.topUps.add(tx, OPERATOR, activityId, body));
    expect(await books.claim(activityId, ['ann', 'bob'])).toHaveLength(2);
    await commit();
    expect(await books.activities.findActivity(activityId)).toMatchObject({ packetCount: 4 });
  });

  it('do not starve a top-up if eight users confirm without a pause', async () => {
    const activityId = await openRain(2_000);
    let over = false;
    const rush = async (name: number) => {
      for (let no = name; no <= 2_000 && !over; no += 8)
        await books.claims.confirm([reservationOf(activityId, `rush-${no}`, no)]);
    };
    const rushing = upTo(8).map(rush);
    for (let time = 0; time < 10; time++) await books.topUp(activityId, { packets: 1 });
    over = true;
    await Promise.all(rushing);
    expect(await books.activities.findActivity(activityId)).toMatchObject({ packetCount: 2_010 });
  });
});

describe('a top-up whose process died before Redis received it', () => {
  it('is found by the sweep, which does not remove the activity', async () => {
    const activityId = await openRain();
    await rain.grab(activityId, 'ann', 'bob');
    await books.topUp(activityId, { packets: 2 });
    const { stillThere } = await mark(activityId);

    await rain.sweep();
    expect(await listedNos(activityId)).toEqual([3, 4]);
    expect(await stillThere()).toBe(true);
  });

  it('is loaded completely if some of its pages had arrived', async () => {
    const activityId = await openRain();
    const extend = dispensing.loading.extend.bind(dispensing.loading);
    const dying = jest.spyOn(dispensing.loading, 'extend').mockImplementation((id, before, page) => {
      return before > 2 ? Promise.reject(new Error('dead')) : extend(id, before, page);
    });
    await expect(rain.topUp(activityId, { packets: 600 })).rejects.toThrow('dead');
    expect((await dispensing.readStanding(activityId)).packetCursor).toBe(502);
    dying.mockRestore();
    const { stillThere } = await mark(activityId);

    await rain.sweep();
    expect(await listedNos(activityId)).toEqual(upTo(602));
    expect(await stillThere()).toBe(true);
  });

  it('is not mistaken for lost packets if it arrives during the sweep', async () => {
    const activityId = await openRain();
    const { stillThere } = await mark(activityId);
    const look = dispensing.standings.readStanding.bind(dispensing.standings);
    const looking = jest.spyOn(dispensing.standings, 'readStanding').mockImplementation(async (place) => {
      if (place.id !== activityId) return look(place);
      looking.mockRestore();
      await rain.topUp(activityId, { packets: 2 });
      return look(place);
    });
    await rain.sweep();
    expect(await listedNos(activityId)).toEqual([1, 2, 3, 4]);
    expect(await stillThere()).toBe(true);
  });

  it('does not hide that other packets are lost', async () => {
    const activityId = await openRain();
    await dispensing.redis.lpop(dispensing.keys.activity(activityId).packets);
    await books.topUp(activityId, { packets: 2 });
    await rain.sweep();
    await rain.sweep();
    expect(await listedNos(activityId)).toEqual([1, 2, 3, 4]);
  });

  it('is in a Redis that had lost it as soon as that Redis is trusted again', async () => {
    const activityId = await openRain();
    await books.topUp(activityId, { packets: 2 });
    await dispensing.distrust();
    await rain.remind();
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
    expect(await listedNos(activityId)).toEqual([1, 2, 3, 4]);
  });
});

describe('"sold-out" during a top-up', () => {
  let api: Graph;
  let others: Graph;

  beforeAll(async () => {
    [api, others] = [await rain.openApi(), await rain.openApi()];
    others.get(ActivityLoader).onModuleInit();
    await rain.trust(others);
  });

  const topUp = (activityId: string, packets: number) => {
    const body = { amount: `${packets}.00`, packetCount: packets };
    return api.get(TopUpService).topUp(requestOf(OPERATOR.userId, OPERATOR.role), activityId, body);
  };

  const grab = (activityId: string, userId: string) => others.get(GrabService).grab(activityId, userId);

  async function soldOutRain(): Promise<string> {
    const activityId = await openRain();
    await rain.grab(activityId, 'ann', 'bob');
    expect(await grab(activityId, 'cem')).toEqual({ kind: 'sold-out' });
    await books.deposit('sponsor', 200n);
    return activityId;
  }

  it('is never answered if the process died after the commit; the next tap has the packets loaded', async () => {
    const activityId = await soldOutRain();
    jest.spyOn(api.get(ActivityLoader), 'extend').mockRejectedValue(new Error('dead'));
    await topUp(activityId, 2);
    expect((await dispensing.readStanding(activityId)).packetCursor).toBe(2);
    expect(await phaseOf(activityId)).toBe('open');

    expect(await grab(activityId, 'cem')).toMatchObject({ kind: 'won', packet: { no: expect.any(Number) } });
    expect(await listedNos(activityId)).toHaveLength(1);
  });

  it('is not answered while the commit is in progress, and is answered again once it has failed', async () => {
    const activityId = await soldOutRain();
    let told: string | undefined;
    jest.spyOn(api.get(PacketAdditions), 'announce').mockImplementation(async (activity, packetCount) => {
      await api.get(ActivityLoader).announce(activity, packetCount);
      told = await codeOf(grab(activityId, 'cem'));
      throw new Error('no commit');
    });
    await expect(topUp(activityId, 2)).rejects.toThrow('no commit');
    expect(told).toBe('activity.loading');
    expect((await dispensing.readStanding(activityId)).isAwaiting).toBe(true);

    await rain.sweep();
    expect(await grab(activityId, 'cem')).toEqual({ kind: 'sold-out' });
    expect(await dispensing.redis.exists(dispensing.keys.activity(activityId).gate)).toBe(1);
  });

  it('is never answered if Redis was loaded between the announcement and the commit', async () => {
    const activityId = await soldOutRain();
    jest.spyOn(api.get(ActivityLoader), 'extend').mockRejectedValue(new Error('dead'));
    jest.spyOn(api.get(PacketAdditions), 'announce').mockImplementation(async (activity, packetCount) => {
      await api.get(ActivityLoader).announce(activity, packetCount);
      await rain.rebuilder.rebuild(dispensing.keys.placeOf(activityId));
    });
    await topUp(activityId, 2);
    expect(await grab(activityId, 'cem')).toMatchObject({ kind: 'won' });
  });

  it('cannot become false: nothing is added while Redis cannot be notified', async () => {
    const activityId = await soldOutRain();
    jest.spyOn(dispensing.loading, 'announce').mockRejectedValue(new Error('away'));
    expect(await codeOf(topUp(activityId, 2))).toBe('unavailable');
    expect(await grab(activityId, 'cem')).toEqual({ kind: 'sold-out' });
    expect((await books.activities.findActivity(activityId))!.packetCount).toBe(2);
  });
});

describe('a top-up of an activity that is on its way into Redis', () => {
  it('is loaded by the loader that was loading the activity', async () => {
    const activityId = await books.activity({ packets: 2 });
    const toLoad = rain.worker.get(LoadingRepository);
    const keepAway = toLoad.keepAdditionsAway.bind(toLoad);
    jest.spyOn(toLoad, 'keepAdditionsAway').mockImplementation(async (...args) => {
      await rain.topUp(activityId, { packets: 2 });
      expect(await listedNos(activityId)).toEqual([1, 2]);
      return keepAway(...args);
    });
    await rain.loader.load(activityId);
    expect(await listedNos(activityId)).toEqual([1, 2, 3, 4]);
  });

  it('is loaded with the rest of a half-loaded activity', async () => {
    const activityId = await books.activity({ packets: 2 });
    await dispensing.begin(activityId, await dispensing.window());
    await rain.topUp(activityId, { packets: 2 });
    expect(await dispensing.readStanding(activityId)).toMatchObject({ status: 'loading', packetsLeft: 0 });
    await rain.sweep();
    expect(await dispensing.readStanding(activityId)).toMatchObject({
      status: 'open',
      packetsLeft: 4,
      packetCursor: 4,
    });
  });
});

describe('an activity that was topped up', () => {
  it('is reloaded with all its packets, and can be topped up again when the last packets are taken', async () => {
    const activityId = await openRain();
    await rain.topUp(activityId, { packets: 2 });
    await rain.grab(activityId, 'ann', 'bob');
    expect(await listedNos(activityId)).toEqual([1, 2]);

    await dispensing.contents.forget(dispensing.keys.placeOf(activityId));
    await rain.sweep();
    expect(await listedNos(activityId)).toEqual([1, 2]);
    expect(await dispensing.readStanding(activityId)).toMatchObject({ held: 2, packetCursor: 4 });
    await rain.topUp(activityId, { packets: 1 });
    expect(await listedNos(activityId)).toEqual([1, 2, 5]);
  });

  it('has its cursor at the end in a Redis that had lost the top-up, even if all its packets are taken', async () => {
    const activityId = await openRain();
    await rain.topUp(activityId, { packets: 2 });
    await rain.grab(activityId, 'ann', 'bob');
    const { state, claims } = dispensing.keys.activity(activityId);
    await dispensing.redis.hset(state, 'packetCursor', 2);
    await dispensing.redis.del(claims);
    await dispensing.distrust();

    await rain.remind();
    expect(await listedNos(activityId)).toEqual([1, 2]);
    expect(await dispensing.readStanding(activityId)).toMatchObject({ held: 2, packetCursor: 4 });
  });

  it('refunds what no user won of its top-up', async () => {
    const activityId = await rain.openRain({ packets: 2, sponsorId: 'generous' });
    await rain.topUp(activityId, { packets: 2, totalMinor: 500n });
    const [verdict] = await rain.grab(activityId, 'ann');
    await rain.end(activityId);
    const taken = verdict?.kind === 'confirmed' ? verdict.packet.amountMinor : 0n;
    expect(await books.balance('generous')).toBe(700n - taken);
  });
});

describe('a close and a top-up at once', () => {
  const blocked = () => waitFor(async () => (await books.blocked()).length > 0, { what: 'the second one' });

  it('when the close commits first, nothing is added', async () => {
    const activityId = await openRain();
    await books.deposit('sponsor', 200n);
    const commit = await books.hold((tx) => rain.closing.refund(tx, activityId, 'closed'));
    const body = { amount: '2.00', packetCount: 2 };
    const toppingUp = codeOf(
      books.dataSource.transaction((tx) => books.topUps.add(tx, OPERATOR, activityId, body)),
    );
    await blocked();
    await commit();
    expect(await toppingUp).toBe('activity.ended');
    expect(await books.packetAmounts(activityId)).toHaveLength(2);
    expect(await books.balance(activityId, 'escrow')).toBe(0n);
  });

  it('when the top-up commits first, it is refunded as well, and Redis takes none of it', async () => {
    const activityId = await rain.openRain({ packets: 2, sponsorId: 'first' });
    await books.deposit('first', 500n);
    const body = { amount: '5.00', packetCount: 2 };
    const commit = await books.hold((tx) => books.topUps.add(tx, OPERATOR, activityId, body));
    const closing = rain.end(activityId);
    await blocked();
    await commit();
    expect(await closing).toBe(true);
    expect(await books.balance('first')).toBe(700n);

    await rain.loader.extend(activityId);
    expect(await listedNos(activityId)).toEqual([]);
    expect(await dispensing.readStanding(activityId)).toMatchObject({ status: 'closed', packetsLeft: 0 });
  });

  it('end with every cent accounted for, in any order', async () => {
    for (const time of upTo(12)) {
      const activityId = await openRain();
      const user = `racer-${time}`;
      const toppingUp = codeOf(rain.topUp(activityId, { packets: 3 }));
      const [code, ended] = await Promise.all([toppingUp, rain.end(activityId), rain.grab(activityId, user)]);
      expect(ended).toBe(true);
      expect(['done', 'activity.ended']).toContain(code);
      expect(await dispensing.draw(activityId, 'late')).toEqual([{ kind: 'closed' }]);
      expect(await listedNos(activityId)).toEqual([]);
    }
  });
});

describe('a top-up is refused, and nothing has changed,', () => {
  const ADD_TWO = { amount: '2.00', packetCount: 2 };

  /** Returns the problem's code and the fields at fault, and expects that nothing has changed. */
  async function refusal(activityId: string, body = ADD_TWO, caller: Caller = OPERATOR): Promise<string> {
    const before = await rows(activityId);
    const problem: unknown = await books.dataSource
      .transaction((tx) => books.topUps.add(tx, caller, activityId, body))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await rows(activityId)).toEqual(before);
    if (!(problem instanceof Problem)) throw new Error(`not refused: ${String(problem)}`);
    return [problem.code, ...(problem.fields ?? []).map(({ field }) => field)].join(' ');
  }

  const rows = async (activityId: string): Promise<unknown> => {
    const [row] = await books.dataSource.query<object[]>(
      `select packet_count, total_minor, (select count(*) from packet where activity_id = activity.id) as packets,
              (select count(*) from top_up) as top_ups, (select sum(balance_minor) from account where kind = 'wallet') as money
         from activity where id = $1`,
      [activityId],
    );
    return row;
  };

  it('when the activity is closed, cancelled or past its end', async () => {
    const [closed, cancelled, past] = [
      await openRain(),
      await books.activity({ packets: 2 }),
      await openRain(),
    ];
    await rain.end(closed);
    await books.dataSource.transaction((tx) => rain.closing.refund(tx, cancelled, 'cancelled'));
    await books.dataSource.query(`update activity set closes_at = now() where id = $1`, [past]);
    await books.deposit('sponsor', 200n);
    for (const activityId of [closed, cancelled, past])
      expect(await refusal(activityId)).toBe('activity.ended');
  });

  it('when the sponsor has too little, or their wallet is frozen', async () => {
    const activityId = await books.activity({ packets: 2, sponsorId: 'poor' });
    expect(await refusal(activityId, ADD_TWO, { userId: 'poor', role: 'user' })).toBe(
      'wallet.insufficient_funds',
    );
    await books.deposit('poor', 200n);
    await books.setStatus('poor', 'frozen');
    expect(await refusal(activityId)).toBe('wallet.frozen');
  });

  it('when the wallet is frozen while the packets are being written', async () => {
    const activityId = await books.activity({ packets: 2, sponsorId: 'chilly' });
    await books.deposit('chilly', 200n);
    const commit = await books.hold((tx) => books.wallets.setStatus(tx, OPERATOR, 'chilly', 'frozen', {}));
    const refused = refusal(activityId);
    await waitFor(async () => (await books.blocked()).length === 1, { what: 'the top-up to wait' });
    await commit();
    expect(await refused).toBe('wallet.frozen');
  });

  it('when it cannot be split, or the activity would become too large', async () => {
    const activityId = await openRain();
    expect(await refusal(activityId, { amount: '0.01', packetCount: 2 })).toBe('request.invalid amount');
    expect(await refusal(activityId, { amount: '10000.00', packetCount: 999_999 })).toBe(
      'request.invalid packetCount',
    );
    expect(await refusal(activityId, { amount: '9999999999999.00', packetCount: 2 })).toBe(
      'request.invalid amount',
    );
  });
});
