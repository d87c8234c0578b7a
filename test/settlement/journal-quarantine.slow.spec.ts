import { Logger } from '@nestjs/common';
import type { Packet } from '../../libs/redis-scripts';
import { STATE_FORMAT_MAX } from '../../libs/redis-scripts/state-format';
import { Journal } from '../../src/core/grab/journal/journal';
import { QuarantineService } from '../../src/core/grab/journal/quarantine.service';
import type { PageQuery } from '../../src/platform/http';
import { Metrics } from '../../src/platform/telemetry';
import { waitFor } from '../harness/engines';
import { books, dispensing, rain, shareRain, startRain } from '../harness/shared-books';

shareRain(beforeEach, afterEach);

/** Makes a rain of three packets, one of which ann has drawn; it is not confirmed. */
async function rainWithDraw(): Promise<string> {
  const activityId = await rain.openRain({ packets: 3 });
  await dispensing.draw(activityId, 'ann');
  return activityId;
}

const journalOf = (activityId: string) => dispensing.keys.shardOf(activityId);

async function write(activityId: string, ...fields: string[]): Promise<string> {
  const journal = dispensing.keys.journal(journalOf(activityId));
  return (await dispensing.redis.xadd(journal, '*', ...fields))!;
}

const standing = (activityId: string) => dispensing.journals.standing(journalOf(activityId));

const journalLength = async (activityId: string) => (await standing(activityId)).entries;

const quarantineLength = async (activityId: string) => (await standing(activityId)).quarantined;

const MALFORMED: Record<string, (activityId: string) => string[]> = {
  'of an unknown shape': () => ['what', 'ever'],
  'with something that is not a packet': (id) => [id, 'bob seven'],
  'with a packet number that no packet can have': (id) => [id, 'bob 99999999999:100'],
  'with a user who has no packet': (id) => [id, 'bob 2:100 cid'],
  'with an activity id that is not a number': () => ['first', 'bob 2:100'],
  'with an activity id that no activity can have': (id) => [`9${'0'.repeat(18 - id.length)}${id}`, 'b 2:x'],
  'with an activity of another shard': (id) => [String(Number(id) + 1), 'bob 2:100'],
  'with times of joining that are not times': (id) => [`${id} waitlist soon`, 'bob 2:100'],
  'with a user id that cannot exist': (id) => [id, 'b\u0000b 2:100'],
  'of more fields than Lua can pass on': () => Array.from({ length: 20_000 }, (_, i) => `field ${i}`),
  'of 10 MB of garbage': () => ['garbage', '\u0001'.repeat(10_000_000)],
};

describe('a journal entry that cannot be read', () => {
  it.each(Object.entries(MALFORMED))(
    '%s is put aside by the sweep, and those after it are decided',
    async (_, fields) => {
      const activityId = await rain.openRain({ packets: 3 });
      const id = await write(activityId, ...fields(activityId));
      await dispensing.draw(activityId, 'ann');
      await rain.recover();

      expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
      expect(await journalLength(activityId)).toBe(0);
      const kept = await dispensing.journals.quarantinedBefore(journalOf(activityId));
      expect(kept).toMatchObject({ entryId: id, flaw: expect.any(String) });
      expect(JSON.parse(kept!.fields)).toEqual(fields(activityId));
    },
  );

  it('prevents neither the close of a rain nor the reloading of a restarted Redis', async () => {
    const activityId = await rainWithDraw();
    await write(activityId, 'what', 'ever');

    expect(await rain.end(activityId)).toBe(true);
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
    await rain.sweep();
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
    expect(await quarantineLength(activityId)).toBe(1);
  });

  /** Replaces the entry of ann's draw by one of which only the part about ann can be read. */
  async function writeInPart(activityId: string): Promise<{ packet: Packet; text: string }> {
    const packet = (await dispensing.held(activityId)).get('ann')!;
    const shard = journalOf(activityId);
    const { id } = (await dispensing.journals.read(shard, '-', '+', 1))[0]!;
    await dispensing.redis.xdel(dispensing.keys.journal(shard), id);
    const text = `ann ${packet.no}:${packet.amountMinor}`;
    await write(activityId, 'what', 'ever', activityId, text);
    return { packet, text };
  }

  it('is decided as far as it can be read, and then put aside', async () => {
    const activityId = await rainWithDraw();
    const { packet, text } = await writeInPart(activityId);
    await rain.recover();

    expect(await books.wonPackets.findClaim(activityId, 'ann')).toMatchObject({ packetNo: packet.no });
    expect(await journalLength(activityId)).toBe(0);
    expect((await dispensing.journals.quarantinedBefore(journalOf(activityId)))!.fields).toContain(text);
  });

  it('stays in the journal while Postgres cannot decide its readable part', async () => {
    const activityId = await rainWithDraw();
    await writeInPart(activityId);
    await books.dataSource.query('alter table claim rename to claim_away');
    await rain.recover();
    await books.dataSource.query('alter table claim_away rename to claim');
    expect([await journalLength(activityId), await quarantineLength(activityId)]).toEqual([1, 0]);

    await rain.recover();
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
    expect([await journalLength(activityId), await quarantineLength(activityId)]).toEqual([0, 1]);
  });

  it('stays in the journal while another transaction holds up its readable part', async () => {
    await rain.stop();
    await startRain({ patient: false });
    const activityId = await rainWithDraw();
    await writeInPart(activityId);
    const release = await books.hold((tx) =>
      tx.query('select from activity where id = $1 for update', [activityId]),
    );
    await rain.recover();
    expect([await journalLength(activityId), await quarantineLength(activityId)]).toEqual([1, 0]);

    await release();
    await rain.recover();
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
    expect([await journalLength(activityId), await quarantineLength(activityId)]).toEqual([0, 1]);
  });

  it('is put aside even when memory is full', async () => {
    const activityId = await rainWithDraw();
    await write(activityId, 'garbage', 'x'.repeat(1_000_000));
    await dispensing.redis.config('SET', 'maxmemory', '1mb');
    await rain.recover();

    expect(await quarantineLength(activityId)).toBe(1);
    expect(await journalLength(activityId)).toBe(0);
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
  });

  it('is logged once and shown to operators, page by page and shortened', async () => {
    const activityId = await rainWithDraw();
    const lines: string[] = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void lines.push(line));
    const other = await books.activity({ packets: 1 });
    const ids = [await write(activityId, 'long', 'x'.repeat(5_000)), await write(activityId, 'what', 'ever')];
    const otherId = await write(other, 'else', 'where');
    await rain.recover();
    await rain.recover();
    jest.restoreAllMocks();

    const shard = `shard ${journalOf(activityId)} `;
    expect(lines.filter((line) => line.includes(shard) && line.includes(ids[0]!))).toHaveLength(1);
    const quarantine = new QuarantineService(dispensing.journals);
    const listed = [];
    let cursor: string | undefined;
    do {
      const page = await quarantine.list({ limit: 1, cursor } satisfies PageQuery);
      listed.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(listed.map(({ entryId }) => entryId).sort()).toEqual([...ids, otherId].sort());
    const long = listed.find(({ entryId }) => entryId === ids[0])!;
    expect(long.fields).toHaveLength(1_000);
    expect(long.length).toBeGreaterThan(5_000);
    expect(long.flaw).toBe('not an activity');
  });
});

describe('a journal entry of a newer version of this program', () => {
  it('is left to that version, and holds up neither the sweep nor a close nor the reloading of a restarted Redis', async () => {
    const activityId = await rain.openRain({ packets: 3 });
    const id = await write(activityId, 'v3', '', 'whatever', 'that may be');
    await dispensing.draw(activityId, 'ann');
    await rain.recover();

    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
    expect(await rain.end(activityId)).toBe(true);
    await rain.sweep();
    expect(await dispensing.shardTrust.isTrusted()).toBe(true);
    expect(await quarantineLength(activityId)).toBe(0);
    const left = await dispensing.journals.read(journalOf(activityId), '-', '+', 10);
    expect(left).toEqual([{ id, reservations: [], isNewer: true }]);
  });
});

describe('an activity that a newer version of this program has loaded', () => {
  it('is not changed: no user draws or waits, and no sweep corrects it', async () => {
    const activityId = await books.activity({ packets: 3 });
    const { state } = dispensing.keys.activity(activityId);
    await rain.loader.load(activityId);
    expect(await dispensing.redis.hget(state, 'format')).toBe('1');
    await dispensing.redis.hset(state, 'format', STATE_FORMAT_MAX + 1);
    await dispensing.redis.lpop(dispensing.keys.activity(activityId).packets);
    const before = await dispensing.redis.hgetall(state);

    expect(await dispensing.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
    expect(await dispensing.waitingLists.join(activityId, 'ann')).toEqual({ kind: 'not-loaded' });
    expect(await dispensing.waitingLists.assign(activityId, 9)).toEqual([]);
    await rain.sweep();
    await rain.loader.load(activityId);
    expect(await dispensing.redis.hgetall(state)).toEqual(before);
    expect(await dispensing.readStanding(activityId)).toMatchObject({ status: 'newer' });
  });

  /** Makes a rain of three packets, one won by ann, that the newer version has then taken over. */
  async function newerRain(): Promise<{ activityId: string; before: unknown[] }> {
    const activityId = await rain.openRain({ packets: 3 });
    await rain.grab(activityId, 'ann');
    await dispensing.redis.hset(dispensing.keys.activity(activityId).state, 'format', STATE_FORMAT_MAX + 1);
    return { activityId, before: await inRedis(activityId) };
  }

  async function inRedis(activityId: string): Promise<unknown[]> {
    const { state, packets, claims } = dispensing.keys.activity(activityId);
    const { redis } = dispensing;
    return [await redis.hgetall(state), await redis.lrange(packets, 0, -1), await redis.hgetall(claims)];
  }

  it('is not closed when its window is over, which is logged once', async () => {
    const { activityId, before } = await newerRain();
    await books.dataSource.query(
      `update activity set opens_at = now() - interval '2 hours', closes_at = now() - interval '1 hour' where id = $1`,
      [activityId],
    );
    const warn = jest.spyOn(rain.dueClosing['logger'], 'warn');
    await rain.sweep();
    await rain.sweep();
    expect(await inRedis(activityId)).toEqual(before);
    expect(await books.activities.findActivity(activityId)).toMatchObject({ status: 'active', ending: null });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('newer version')]]);
  });

  it('is not closed by hand: its own version carries out the decision', async () => {
    const { activityId, before } = await newerRain();
    await expect(rain.end(activityId)).rejects.toThrow();
    expect(await inRedis(activityId)).toEqual(before);
    expect(await books.activities.findActivity(activityId)).toMatchObject({
      status: 'active',
      ending: 'closed',
    });
  });

  it('is neither tidied up nor forgotten after it has ended', async () => {
    const { activityId, before } = await newerRain();
    await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, 'closed'));
    await rain.sweep();
    expect(await inRedis(activityId)).toEqual(before);
    await books.dataSource.query(
      `update activity set closed_at = closed_at - interval '1 day' where id = $1`,
      [activityId],
    );
    await rain.sweep();
    await rain.loader.load(activityId);
    expect(await inRedis(activityId)).toEqual(before);
  });
});

describe('the age of a journal entry', () => {
  /** Gives ann's entry an id of tomorrow, as if the clock of Redis had been a day fast. */
  async function drawFromTheFuture(): Promise<string> {
    const activityId = await rainWithDraw();
    const journal = dispensing.keys.journal(journalOf(activityId));
    const [[id, fields]] = (await dispensing.redis.xrange(journal, '-', '+')) as [[string, string[]]];
    await dispensing.redis.xdel(journal, id);
    await dispensing.redis.xadd(journal, `${Date.now() + 86_400_000}-0`, ...fields);
    return activityId;
  }

  it('does not depend on the clock of Redis: an entry from the future is swept after the usual time', async () => {
    const activityId = await drawFromTheFuture();
    await waitFor(async () => (await rain.journal.sweep(50)) > 0, { what: 'the sweep of the entry' });
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
  });

  it('is counted from when the entry was first seen: entries that are new since the last sweep are left alone', async () => {
    let nowMs = 0;
    const journal = new Journal(
      dispensing.journals,
      dispensing.own,
      rain.confirmations,
      new Metrics(),
      () => nowMs,
    );
    const activityId = await rainWithDraw();
    expect(await journal.sweep(3_600_000)).toBe(0);
    nowMs = 3_599_999;
    expect(await journal.sweep(3_600_000)).toBe(0);
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeUndefined();
    nowMs = 3_600_000;
    await dispensing.draw(activityId, 'bob');
    expect(await journal.sweep(3_600_000)).toBe(1);
    expect(await books.wonPackets.findClaim(activityId, 'ann')).toBeDefined();
    expect(await books.wonPackets.findClaim(activityId, 'bob')).toBeUndefined();
  });
});
