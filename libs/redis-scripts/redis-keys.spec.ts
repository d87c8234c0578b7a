import fc from 'fast-check';
import { keySlot } from './key-slot';
import { RedisKeys } from './redis-keys';

const SHARD_COUNT_MAX = 99;

const shardCounts = Array.from({ length: SHARD_COUNT_MAX }, (_, i) => i + 1);
const shardCount = fc.integer({ min: 1, max: SHARD_COUNT_MAX });
const activityId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String);

function keysOf(keys: RedisKeys, id: string): string[] {
  return Object.values(keys.activity(id) as unknown as Record<string, string>);
}

describe('RedisKeys', () => {
  it('puts all keys of an activity and the journal of its shard into one slot, for every number of shards', () => {
    for (const count of shardCounts) {
      const keys = new RedisKeys(count);
      const slotsOf = (id: string) =>
        new Set([...keysOf(keys, id), keys.journal(keys.shardOf(id))].map(keySlot)).size;
      fc.assert(
        fc.property(activityId, (id) => expect(slotsOf(id)).toBe(1)),
        { numRuns: 20 },
      );
    }
  });

  it('gives every shard a slot of its own', () => {
    const keys = new RedisKeys(SHARD_COUNT_MAX);
    const slots = shardCounts.map((count) => keySlot(keys.journal(count - 1)));
    expect(new Set(slots).size).toBe(SHARD_COUNT_MAX);
  });

  it('gives no two activities a key in common, and no activity the key of a journal', () => {
    fc.assert(
      fc.property(shardCount, fc.uniqueArray(activityId, { minLength: 2, maxLength: 10 }), (count, ids) => {
        const keys = new RedisKeys(count);
        const journals = Array.from({ length: count }, (_, shard) => keys.journal(shard));
        const all = [...ids.flatMap((id) => keysOf(keys, id)), ...journals];
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('puts every activity into a shard that exists, always the same one', () => {
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
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x10',
    '1:state',
    '1:packets',
    '1}',
    '{07}',
    '*',
    '?',
    '1*',
    '\0',
    '1\0',
    '１',
    '٣',
    '🧧',
    '../1',
    '__proto__',
    'journal',
    '1'.repeat(20),
  ])('refuses the activity id %j, so that no client can spell a key of another activity', (id) => {
    const keys = new RedisKeys(16);
    expect(() => keys.activity(id)).toThrow(TypeError);
    expect(() => keys.shardOf(id)).toThrow(TypeError);
  });

  it('refuses an id that is not decimal digits', () => {
    const keys = new RedisKeys(16);
    const other = fc.string({ unit: 'binary' }).filter((text) => !/^[0-9]{1,19}$/.test(text));
    fc.assert(fc.property(other, (id) => expect(() => keys.activity(id)).toThrow(TypeError)));
  });

  it('finds the activity of a key, unless its id is one that no activity can have', () => {
    const keys = new RedisKeys(16);
    const found = (id: string) => keys.activityOf(`rp:{07}:${id}:state`);
    expect(['1', '9223372036854775807'].map(found)).toEqual(['1', '9223372036854775807']);
    expect(['9223372036854775808', '9999999999999999999'].map(found)).toEqual([undefined, undefined]);
  });

  it.each([-1, 16, 0.5, NaN])('has no journal for shard %p of 16', (shard) => {
    expect(() => new RedisKeys(16).journal(shard)).toThrow(RangeError);
  });
});
