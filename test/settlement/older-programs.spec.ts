import { STATE_FORMAT_MAX } from '../../libs/redis-scripts';
import type { ActivityTerms } from '../../src/core/activity/activity-terms';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { Admissions } from '../../src/core/grab';
import type { ActivityWish } from '../harness/books';
import type { Dispensing } from '../harness/dispensing';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

/** The format before that of the first term that restricts who wins. */
const OLDER_FORMAT = 4;

/** Every term, and whether it restricts who wins: a new term does not compile without an answer. */
const TERMS: Record<keyof ActivityTerms, readonly [wish: Partial<ActivityWish>, restricts: boolean]> = {
  name: [{}, false],
  admission: [{ admission: 'ticket' }, true],
  limits: [{ limits: { perUser: 1 } }, true],
  showsBestLuck: [{ showsBestLuck: true }, false],
  audience: [{ audience: { kind: 'people', userIds: ['bob', 'cem'] } }, true],
  sponsorId: [{ sponsorId: 'another' }, false],
  currency: [{}, false],
  escrowAccountId: [{ currency: 'COINS' }, true],
  parts: [{}, false],
  outletId: [{}, false],
  opensAt: [{ opensInMs: -60_000 }, false],
  closesAt: [{ closesInMs: 60_000 }, false],
};

const RESTRICTING = Object.entries(TERMS).filter(([, [, restricts]]) => restricts);

/** Currencies and audiences came after the first terms that restrict who wins. */
const formatOf = ({ currency, audience }: Partial<ActivityWish>): number => {
  if (audience) return OLDER_FORMAT + 3;
  return OLDER_FORMAT + (currency ? 2 : 1);
};

let api: Graph;
let older: Dispensing;
let rains = 0;

proveBooks();
shareRain();

beforeAll(async () => {
  await books.addCurrency({ code: 'COINS', kind: 'points', name: 'Coins' });
  api = await rain.openApi();
  older = olderDispensing();
});

afterEach(() => api.get(ConfirmService).beforeApplicationShutdown());

/** The dispenser of a program from before the first of these terms, on the same Redis. */
function olderDispensing(): Dispensing {
  const loaded: { older?: Dispensing } = {};
  jest.doMock('../../libs/redis-scripts/state-format', () => ({
    ...jest.requireActual<object>('../../libs/redis-scripts/state-format'),
    STATE_FORMAT_MAX: OLDER_FORMAT,
  }));
  jest.isolateModules(() => {
    const { Dispensing: Older } = jest.requireActual<{ Dispensing: typeof Dispensing }>(
      '../harness/dispensing',
    );
    loaded.older = Older.over(dispensing.redis, dispensing.keys.shardCount);
  });
  jest.dontMock('../../libs/redis-scripts/state-format');
  loaded.older!.own.identify(dispensing.own.installation);
  return loaded.older!;
}

const open = (wish: Partial<ActivityWish>) =>
  rain.openRain({ packets: 3, sponsorId: `sponsor-${(rains += 1)}`, ...wish });

const gateOf = (id: string): Promise<string | null> =>
  dispensing.redis.get(dispensing.keys.activity(id).gate);

async function lastEntryOf(id: string): Promise<string[]> {
  const journal = dispensing.keys.journal(dispensing.keys.shardOf(id));
  const [entry] = await dispensing.redis.xrevrange(journal, '+', '-', 'COUNT', 1);
  return entry![1];
}

const grab = (id: string, userId: string) =>
  api.get(GrabService).grab(id, userId, { hold: false, mayLimit: true });

describe('an older program', () => {
  it.each(Object.entries(TERMS))(
    'draws from an activity with the term %s only if the term restricts nobody',
    async (_, [wish, restricts]) => {
      const id = await open(wish);
      expect((await older.draw(id, 'ann'))[0]!.kind).toBe(restricts ? 'not-loaded' : 'won');
      await rain.journal.drain(dispensing.keys.placeOf(id));
      expect((await grab(id, 'bob')).kind).toBe('won');
      expect((await older.draw(id, 'cem'))[0]!.kind).toBe(restricts ? 'not-loaded' : 'won');
      await rain.journal.drain(dispensing.keys.placeOf(id));
    },
  );

  it.each(RESTRICTING)(
    'neither trusts the gate of an activity with the term %s nor reads its journal entries',
    async (_, [wish]) => {
      for (const parts of [1, 2]) {
        const id = await open({ ...wish, parts });
        const shard = dispensing.keys.shardOf(id);
        if (parts === 1) await dispensing.draw(id, 'ann');
        else
          await dispensing.reservations.drawFromParts(shard, [{ activityId: id, parts, userIds: ['ann'] }]);
        expect(await gateOf(id)).not.toBe(dispensing.own.installation);
        expect((await lastEntryOf(id)).slice(0, 2)).toEqual([`v${formatOf(wish)}`, '']);
        const [read] = await older.journals.read(shard, '-', '+', 1);
        expect(read).toMatchObject({ isNewer: true, reservations: [] });
        await rain.journal.drain(dispensing.keys.placeOf(id));
        expect(await books.wonPackets.findClaim(id, 'ann')).toBeDefined();
      }
    },
  );

  it('does not trust the gate of a plan where a term restricts who wins', async () => {
    const pace = { kind: 'even', until: new Date(Date.now() + 1_800_000).toISOString() } as const;
    const id = await open({ packets: 100, pace, admission: 'ticket' });
    while ((await dispensing.draw(id, `user-${Math.random()}`))[0]!.kind === 'won');
    expect(await gateOf(id)).toMatch(/^\d+ \d+ \d+ v\d+ /);
    expect((await older.draw(id, 'ann'))[0]!.kind).toBe('not-loaded');
    await rain.journal.drain(dispensing.keys.placeOf(id));
  });

  it('is shut out of an activity that it has loaded itself without knowing the term', async () => {
    const id = await books.activity({ packets: 3, limits: { perUser: 1, group: 'loaded' } });
    const place = dispensing.keys.placeOf(id);
    const activity = (await books.activities.findActivity(id))!;
    await older.loading.begin(place, { ...(await dispensing.window()), birth: activity.birth });
    const text = (await books.packetAmounts(id)).map((minor, i) => `${i + 1}:${minor}`).join(' ');
    await older.loading.loadPackets(place, 0, { text, lastNo: 3 });
    expect(await older.loading.open(place, 3)).toBe('open');
    expect((await older.draw(id, 'ann'))[0]!.kind).toBe('won');
    expect(await gateOf(id)).toBe(dispensing.own.installation);
    await rain.sweep();
    expect(await gateOf(id)).toBeNull();
    expect((await older.draw(id, 'bob'))[0]!.kind).toBe('not-loaded');
    expect((await grab(id, 'cem')).kind).toBe('won');
    expect(await books.wonPackets.findClaim(id, 'ann')).toBeDefined();
  });

  it('keeps the format of an activity when packets with a plan are added or it ends', async () => {
    const id = await open({ admission: 'ticket' });
    const state = dispensing.keys.activity(id).state;
    const format = () => dispensing.redis.hget(state, 'format');
    const pace = { kind: 'even', until: new Date(Date.now() + 1_800_000).toISOString() } as const;
    await rain.topUp(id, { packets: 4, pace });
    expect(await format()).toBe(String(OLDER_FORMAT + 1));
    await rain.end(id);
    expect(await format()).toBe(String(OLDER_FORMAT + 1));
  });
});

describe('an activity whose row has the format of a newer program', () => {
  const NEWER = STATE_FORMAT_MAX + 1;

  async function newer(): Promise<string> {
    const id = await books.activity({ packets: 3 });
    await books.dataSource.query(`update activity set format = $2 where id = $1`, [id, NEWER]);
    return id;
  }

  it('is answered 503 with a reason, and neither loaded, nor rebuilt, nor closed', async () => {
    const id = await newer();
    const admitted = async () => api.get(Admissions).admitUser(id, 'ann', {});
    expect(await codeOf(admitted())).toBe('activity.newer');
    expect(await codeOf(grab(id, 'ann'))).toBe('activity.loading');
    await rain.sweep();
    expect((await dispensing.readStanding(id)).status).toBeUndefined();
    await expect(rain.end(id)).rejects.toMatchObject({ code: 'activity.close_unavailable' });
    expect((await books.activities.findActivity(id))!.status).toBe('active');
    await books.dataSource.query(`update activity set format = 1 where id = $1`, [id]);
    await rain.loader.load(id);
    expect((await grab(id, 'ann')).kind).toBe('won');
  });

  it('keeps the gate and the journal entries of that program from this one', async () => {
    const id = await open({});
    const { gate, state } = dispensing.keys.activity(id);
    await dispensing.redis.hset(state, 'format', NEWER);
    for (const text of [
      `v${NEWER} ${dispensing.own.installation}`,
      `2 1 9999999999999 v${NEWER} ${dispensing.own.installation}`,
    ]) {
      await dispensing.redis.set(gate, text);
      expect(await dispensing.draw(id, 'ann', 'bob')).toEqual([
        { kind: 'not-loaded' },
        { kind: 'not-loaded' },
      ]);
    }
    const journal = dispensing.keys.journal(dispensing.keys.shardOf(id));
    const entry = await dispensing.redis.xadd(journal, '*', `v${NEWER}`, '', id, 'ann 1:1');
    await rain.journal.sweep(0);
    expect(await dispensing.redis.xrange(journal, entry!, entry!)).toHaveLength(1);
    expect(await books.wonPackets.findClaim(id, 'ann')).toBeUndefined();
    await dispensing.redis.xdel(journal, entry!);
  });
});
