import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inboxes, MessageStream, userTopic } from '../../libs/redis-scripts';
import { numbersOf, packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';

shareRains(beforeEach, afterEach);

/** Makes Redis refuse every command that could need memory. */
async function fillUp(): Promise<void> {
  await rains.redis.config('SET', 'maxmemory-policy', 'noeviction');
  await rains.redis.config('SET', 'maxmemory', '1');
}

const OOM = /OOM/;

async function everything(): Promise<Record<string, string>> {
  const keys = (await rains.redis.keys('*')).sort();
  const dumps = await Promise.all(keys.map((key) => rains.redis.dumpBuffer(key)));
  return Object.fromEntries(keys.map((key, i) => [key, dumps[i]!.toString('base64')]));
}

const RAINS = {
  'while the gate is open': async () => {
    const activityId = await rains.rain(packetsUpTo(5));
    await rains.draw(activityId, 'ann');
    return activityId;
  },
  'at the first tap': async () => {
    const activityId = await rains.rain(packetsUpTo(5));
    await rains.loadClaims(activityId, [{ activityId, userId: 'ann', packet: { no: 9, amountMinor: 9n } }]);
    return activityId;
  },
  'while users wait': async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    await rains.draw(activityId, 'ann');
    for (const userId of ['bob', 'cem']) await rains.waitingLists.join(activityId, userId);
    await rains.extend(activityId, 1, pageOf(packetsUpTo(8).slice(1)));
    return activityId;
  },
};

const LUA = join(__dirname, '../../libs/redis-scripts/lua');

const READERS = [
  'journal-doubts',
  'journal-standing',
  'read-inboxes',
  'scan-keys',
  'server-facts',
  'shard-notes',
  'standing',
];

/** The scripts that a full Redis has to run, and why they do not make it grow. */
const EXCEPTIONS: Record<string, string> = {
  acknowledge: 'claims of Postgres replace journal entries',
  'latest-calls': 'only reads, and has to be refused where writes are refused',
  'leave-waitlist': 'users leave a list',
  'note-call': 'a list of limited length',
  close: 'a few fields for an activity of Postgres',
  'discard-packets': 'only deletes',
  erase: 'only deletes',
  'finish-messages': 'remembers a limited number of messages, in place of their texts',
  quarantine: 'an entry moves',
  release: 'a packet moves',
  'remove-mistyped': 'only deletes',
  'tidy-up': 'two fields of an activity of Postgres',
};

/** Returns what a full server does with a script. */
async function fateOf(name: string): Promise<string> {
  const script = readFileSync(join(LUA, `${name}.lua`), 'utf8');
  const answer = await rains.redis.eval(script, 0).catch(String);
  if (String(answer).includes('OOM')) return 'refused';
  return script.startsWith('#!lua flags=no-writes\n') ? 'reads' : 'runs';
}

describe('when the memory of Redis is full', () => {
  describe.each(Object.entries(RAINS))('%s', (_, start) => {
    it.each([[['bob']], [['eve', 'ann', 'bob', 'fay']]])(
      'a winning draw by %j fails, and neither takes nor writes anything',
      async (userIds) => {
        const activityId = await start();
        const before = await everything();
        await fillUp();
        await expect(rains.draw(activityId, ...userIds)).rejects.toThrow(OOM);
        expect(await everything()).toEqual(before);

        await rains.redis.config('SET', 'maxmemory', '0');
        const outcomes = await rains.draw(activityId, ...userIds);
        expect(outcomes.filter(({ kind }) => kind === 'won')).toHaveLength(
          userIds.filter((userId) => userId !== 'ann').length,
        );
      },
    );

    it('a user who holds a packet is answered with it', async () => {
      const activityId = await start();
      await fillUp();
      expect(await rains.draw(activityId, 'ann')).toMatchObject([{ kind: 'already' }]);
      expect(await rains.draw(activityId, 'ann', 'ann')).toMatchObject([
        { kind: 'already' },
        { kind: 'already' },
      ]);
    });
  });

  it('"sold-out" and "closed" are answered, even to a first tap', async () => {
    const [soldOut, over] = [await rains.rain([]), await rains.rain([])];
    await rains.close(over, 'any-time', await rains.window());
    await fillUp();
    expect(await rains.draw(soldOut, 'ann')).toEqual([{ kind: 'sold-out' }]);
    expect(await rains.draw(over, 'ann', 'bob')).toEqual([{ kind: 'closed' }, { kind: 'closed' }]);
  });

  it('packets are neither given to waiting users nor lost', async () => {
    const activityId = await RAINS['while users wait']();
    const before = await everything();
    await fillUp();
    await expect(rains.waitingLists.assign(activityId, 9)).rejects.toThrow(OOM);
    await expect(rains.waitingLists.join(activityId, 'dan')).rejects.toThrow(OOM);
    expect(await everything()).toEqual(before);
  });

  it('a page of packets is refused as a whole, and accepted later', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    const loading = rains.newActivity();
    await rains.load(loading, packetsUpTo(2));
    await fillUp();
    const page = pageOf(packetsUpTo(4).slice(2));
    await expect(rains.extend(activityId, 2, page)).rejects.toThrow(OOM);
    await expect(rains.loadPackets(loading, 2, page)).rejects.toThrow(OOM);

    await rains.redis.config('SET', 'maxmemory', '0');
    for (const id of [activityId, loading]) expect(numbersOf(await rains.listed(id))).toEqual([1, 2]);
    expect(await rains.extend(activityId, 2, page)).toBe(4);
    expect(await rains.loadPackets(loading, 2, page)).toBe(4);
  });

  it('packets that were drawn before are still confirmed, given back and tidied up', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    const outcomes = await rains.draw(activityId, 'ann', 'bob');
    const [ann, bob] = outcomes.map((outcome) => (outcome.kind === 'won' ? outcome : undefined)!);
    await fillUp();
    const claim = { activityId, userId: 'ann', packet: ann!.packet };
    await rains.release({ activityId, userId: 'bob', packet: bob!.packet, fate: 'return' });
    await rains.reservations.acknowledge(0, [claim], []);
    expect((await rains.held(activityId)).get('ann')).toMatchObject({ confirmed: true });
    await rains.reservations.acknowledge(0, [claim], [ann!.entry.id]);
    expect((await rains.journals.standing(0)).entries).toBe(0);
    expect(await rains.listed(activityId)).toHaveLength(2);

    expect(await rains.close(activityId, 'any-time', await rains.window())).toBe('closed');
    await rains.closing.discardPackets(rains.keys.placeOf(activityId));
    await rains.tidyUp(activityId, 1);
    expect(await rains.listed(activityId)).toEqual([]);
    expect(await rains.draw(activityId, 'ann', 'bob')).toMatchObject([
      { kind: 'already' },
      { kind: 'closed' },
    ]);
  });

  it('every script is refused before it begins, unless it only reads or must not fail', async () => {
    await fillUp();
    for (const name of readdirSync(LUA).map((file) => file.replace('.lua', ''))) {
      const expected = READERS.includes(name) ? 'reads' : name in EXCEPTIONS ? 'runs' : 'refused';
      expect([name, await fateOf(name)]).toEqual([name, expected]);
    }
  });

  it('no inbox is opened, even after other inboxes have expired', async () => {
    const inboxes = new Inboxes(rains.redis);
    await inboxes.open([userTopic('ann')], 1);
    await fillUp();
    await expect(inboxes.open([userTopic('bob')], 60_000)).rejects.toThrow(OOM);
    expect(await inboxes.openAmong([userTopic('bob')])).toEqual(new Set());
  });

  it('messages that were pushed leave the stream', async () => {
    const messages = new MessageStream(rains.redis);
    await messages.publish([{ id: 'one', text: '{}' }]);
    const received = await messages.readUpTo('+', 9);
    await fillUp();
    await messages.finish(received);
    expect(await messages.readUpTo('+', 9)).toEqual([]);
  });

  it('winning never takes Redis beyond its limit, and every packet is in the list, or in the hash and the journal, once', async () => {
    const activityId = await rains.rain(packetsUpTo(7_000));
    const used = async () => Number(/used_memory:(\d+)/.exec(await rains.redis.info('memory'))![1]);
    const limit = (await used()) + 200_000;
    await rains.redis.config('SET', 'maxmemory', String(limit));
    let refused = 0;
    for (let call = 0; call < 400 && refused < 20; call++) {
      const userIds = Array.from({ length: call % 2 ? 1 : 200 }, (_, i) => `user-${call}-${i}`);
      await rains.draw(activityId, ...userIds).catch((error: unknown) => {
        expect(String(error)).toMatch(OOM);
        refused += 1;
      });
    }
    expect(refused).toBeGreaterThan(0);
    expect(await used()).toBeLessThan(limit + 300_000);
    const held = await rains.held(activityId);
    const all = numbersOf([...(await rains.listed(activityId)), ...held.values()]);
    expect([all.length, new Set(all).size]).toEqual([7_000, 7_000]);
    const journaled = await rains.journals.read(0, '-', '+', 100_000);
    const reserved = journaled.flatMap(({ reservations }) =>
      reservations.map(({ userId, packet }) => [userId, packet.no]),
    );
    expect(reserved.sort()).toEqual(Array.from(held, ([userId, { no }]) => [userId, no]).sort());
  });
});

describe('a server that evicts keys, against its required policy,', () => {
  it('is no longer trusted to know all winners', async () => {
    const { redis, shardTrust } = rains;
    const { serverId } = await shardTrust.notesOf(0);
    await shardTrust.grant(0, serverId, { history: 'a-history', flushed: '0000000000000001' });
    await redis.set('some', 'value', 'EX', 1_000);
    expect((await shardTrust.notesOf(0)).isTrusted).toBe(true);
    await redis.config('SET', 'maxmemory-policy', 'volatile-ttl', 'maxmemory', '1');
    await expect(redis.set('another', 'value')).rejects.toThrow(OOM);
    await redis.config('SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '0');
    expect([await redis.exists('some'), (await shardTrust.notesOf(0)).isTrusted]).toEqual([0, false]);
    await redis.config('RESETSTAT');
  });
});
