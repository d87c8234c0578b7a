import fc from 'fast-check';
import { Redis } from 'ioredis';
import { ClusterNode } from '../../test/harness/cluster-node';
import { keySlot, SLOT_COUNT } from './key-slot';

describe('the slot of a key', () => {
  let node: ClusterNode;
  let redis: Redis;

  beforeAll(async () => {
    node = await ClusterNode.start();
    redis = new Redis(node.url);
  });

  afterAll(async () => {
    redis.disconnect();
    await node.stop();
  });

  const braces = fc.string({ unit: fc.constantFrom('{', '}', 'a', 'b', ':', '0', 'é', '包', '🧧') });
  const anything = fc.string({ unit: 'binary', maxLength: 40 });

  it('a real server agrees about the slot of every key, whatever its braces and letters', async () => {
    const keys = fc.array(fc.oneof(braces, anything), { minLength: 50, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(keys, async (some) => {
        expect(some.map(keySlot)).toEqual(await slotsByServer(some));
      }),
    );
  });

  it.each(['{}', 'a{}b', '{{x}}', '}{', '{a}{b}', '{', '}', '', '包{紅}包', '\0', 'rp:{07}:107:packets'])(
    'a real server agrees about the slot of %j',
    async (key) => {
      expect([keySlot(key)]).toEqual(await slotsByServer([key]));
    },
  );

  it('a real server has as many slots as SLOT_COUNT', async () => {
    const slots = Array.from({ length: 2_000 }, (_, i) => keySlot(`key-${i}`));
    expect(Math.max(...slots)).toBeLessThan(SLOT_COUNT);
    await expect(redis.cluster('COUNTKEYSINSLOT', SLOT_COUNT - 1)).resolves.toBe(0);
    await expect(redis.cluster('COUNTKEYSINSLOT', SLOT_COUNT)).rejects.toThrow('Invalid slot');
  });

  async function slotsByServer(keys: readonly string[]): Promise<unknown[]> {
    return Promise.all(keys.map((key) => redis.cluster('KEYSLOT', key)));
  }
});
