import fc from 'fast-check';
import { keySlot, SLOT_COUNT } from './key-slot';
import { RedisKeys } from './redis-keys';

const SHARD_COUNT_MAX = 1024;
const LAYOUTS = [{ inCluster: false }, { inCluster: true }];

const shardCounts = [1, 2, 3, 7, 16, 31, 64, 99, 100, 255, 1000, SHARD_COUNT_MAX];
const shardCount = fc.integer({ min: 1, max: SHARD_COUNT_MAX });
const activityId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String);

function keysOf(keys: RedisKeys, id: string): string[] {
  return Object.values<string>({ ...keys.activity(id) });
}

describe('RedisKeys', () => {
  it.each(LAYOUTS)('all keys of an activity and the journal of its shard lie in one slot: %p', (layout) => {
    for (const count of shardCounts) {
      const keys = new RedisKeys(count, layout);
      const slotsOf = (id: string) =>
        new Set([...keysOf(keys, id), keys.journal(keys.shardOf(id))].map(keySlot)).size;
      fc.assert(
        fc.property(activityId, (id) => expect(slotsOf(id)).toBe(1)),
        { numRuns: 20 },
      );
    }
  });

  it('keys on a single server keep the names that they have always had', () => {
    const keys = new RedisKeys(16);
    expect([keys.journal(7), keys.activity('23').state]).toEqual(['rp:{07}:journal', 'rp:{07}:23:state']);
    expect(new RedisKeys(SHARD_COUNT_MAX).journal(1023)).toBe('rp:{1023}:journal');
  });

  it('a key in a cluster contains its shard', () => {
    const keys = new RedisKeys(16, { inCluster: true });
    expect(keys.journal(7)).toMatch(/^rp:\{7-[a-z]{4}\}:journal$/);
  });

  /** The master of each shard, with slots dealt as `redis-cli --cluster create` deals them. */
  function mastersOf(shardCount: number, masters: number): number[] {
    const keys = new RedisKeys(shardCount, { inCluster: true });
    const lasts = Array.from({ length: masters }, (_, i) => Math.round((SLOT_COUNT / masters) * (i + 1) - 1));
    return keys.shards.map((shard) => lasts.findIndex((last) => keySlot(keys.journal(shard)) <= last));
  }

  describe.each([3, 6, 16, 64])('in a cluster of %i masters', (masters) => {
    it.each([16, 64, 100, 256, 1000, SHARD_COUNT_MAX])('%i shards are spread evenly', (count) => {
      const dealt = new Array<number>(masters).fill(0);
      for (const master of mastersOf(count, masters)) dealt[master]! += 1;
      expect(Math.max(...dealt) - Math.min(...dealt)).toBeLessThanOrEqual(1);
    });
  });

  it.each([
    [3, 48],
    [3, 768],
    [6, 48],
    [6, 192],
    [12, 96],
  ])(
    'activities that are created in sequence go to all of %i masters in turn (%i shards)',
    (masters, count) => {
      const dealt = mastersOf(count, masters);
      for (let first = 0; first + masters <= count; first++)
        expect(new Set(dealt.slice(first, first + masters)).size).toBe(masters);
    },
  );

  it.each([16, 64, 256])('three of %i shards in a row never belong to one of three masters', (count) => {
    const dealt = mastersOf(count, 3);
    for (let first = 0; first + 3 <= count; first++)
      expect(new Set(dealt.slice(first, first + 3)).size).toBeGreaterThan(1);
  });

  it('no two activities have a key in common, and no activity has the key of a journal', () => {
    fc.assert(
      fc.property(shardCount, fc.uniqueArray(activityId, { minLength: 2, maxLength: 10 }), (count, ids) => {
        const keys = new RedisKeys(count);
        const journals = Array.from({ length: count }, (_, shard) => keys.journal(shard));
        const all = [...ids.flatMap((id) => keysOf(keys, id)), ...journals];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('every activity lies in an existing shard, always the same one', () => {
    fc.assert(
      fc.property(shardCount, activityId, (count, id) => {
        const shard = new RedisKeys(count).shardOf(id);
        expect(shard).toBe(new RedisKeys(count).shardOf(id));
        expect(shard).toBeGreaterThanOrEqual(0);
        expect(shard).toBeLessThan(count);
      }),
    );
  });

  it.each([
    ['1', 0, 1],
    ['999999999999999', 0, 15],
    ['999999999999999', 3, 2],
    ['1000000000000001', 0, 1],
    ['9007199254740993', 2, 3],
    ['9223372036854775807', 15, 14],
  ])('the activity %s, part %i, lies where every version has put it', (id, part, shard) => {
    expect(new RedisKeys(16).placeOfPart(id, part).shard).toBe(shard);
  });

  it.each(['', ' 1', '1\n', '-1', '1e3', '1:state', '1}', '*', '１', '1'.repeat(20)])(
    'refuses the activity id %j, so that no client can spell a key of another activity',
    (id) => {
      const keys = new RedisKeys(16);
      expect(() => keys.activity(id)).toThrow(TypeError);
      expect(() => keys.shardOf(id)).toThrow(TypeError);
    },
  );

  it('an id that is not decimal digits is refused', () => {
    const keys = new RedisKeys(16);
    const other = fc.string({ unit: 'binary' }).filter((text) => !/^[0-9]{1,19}$/.test(text));
    fc.assert(fc.property(other, (id) => expect(() => keys.activity(id)).toThrow(TypeError)));
  });

  it.each(LAYOUTS)(
    'the activity and the shard can be read from keys of activities, and from no other keys: %p',
    (layout) => {
      const keys = new RedisKeys(16, layout);
      const ids = ['1', '9223372036854775807'];
      for (const id of ids)
        for (const place of keys.placesOf({ id, parts: 16 }))
          expect(keys.placeNamedBy(keys.at(place).state)).toEqual(place);
      expect(keys.placeNamedBy(keys.inShard('1', 4).sentOn)).toEqual({ id: '1', part: 3, shard: 4 });
      expect(keys.placeNamedBy(keys.journal(1))).toBeUndefined();
      expect(keys.placeNamedBy('rp:{events}:1:state')).toBeUndefined();
      expect(new RedisKeys(4, layout).placeNamedBy(keys.activity('5').state)).toBeUndefined();
    },
  );

  it.each(['9223372036854775808', '9999999999999999999'])(
    'no activity can be read from a key with the id %s',
    (id) => {
      const tag = String(BigInt(id) % 16n).padStart(2, '0');
      expect(new RedisKeys(16).placeNamedBy(`rp:{${tag}}:${id}:state`)).toBeUndefined();
    },
  );

  it('keys of shards, and no other keys, are recognised by their tags for any number of shards', () => {
    const keys = new RedisKeys(16);
    for (const layout of LAYOUTS) {
      const others = new RedisKeys(SHARD_COUNT_MAX, layout);
      for (const key of [others.journal(1023), others.activity('5').state, others.installation(5)])
        expect(key).toContain(`rp:${keys.tagOf(key)}:`);
    }
    for (const key of [
      'rp:{events}:messages',
      'rp:{limit}:user:1',
      'rp:{probe}',
      'rp:{probe-abcd}',
      '{bull}:7',
    ])
      expect(keys.tagOf(key)).toBeUndefined();
  });

  it.each([-1, 16, 0.5, NaN])('the journal of shard %p of 16 is refused', (shard) => {
    expect(() => new RedisKeys(16).journal(shard)).toThrow(RangeError);
  });
});
