import { Lease, MessageStream } from '../../libs/redis-scripts';
import { rains, shareRains } from '../harness/dispensing';

const LEASE_MS = 60_000;
const TWO_HOURS_MS = 7_200_000;

shareRains();

beforeEach(() => rains.redis.flushall());

/** Leaves a key with two hours to live, as when the clock of Redis was set back. */
const setClockBack = (key: string) => rains.redis.pexpire(key, TWO_HOURS_MS);

describe('a lease', () => {
  const key = () => rains.keys.lease(0, 'test');
  const lease = () => new Lease(rains.redis, key(), LEASE_MS);

  it('is held by the first process that asks for it, as long as that process keeps asking', async () => {
    const [first, second] = [lease(), lease()];
    expect(await first.hold()).toBe(true);
    expect(await second.hold()).toBe(false);
    expect(await first.hold()).toBe(true);
    expect(await rains.redis.pttl(key())).toBeLessThanOrEqual(LEASE_MS);
  });

  it('is taken over when the clock of Redis was set back after its holder had taken it', async () => {
    await lease().hold();
    await setClockBack(key());
    const [second, third] = [lease(), lease()];
    expect(await second.hold()).toBe(true);
    expect(await third.hold()).toBe(false);
  });
});

describe('a message', () => {
  it('is taken by another worker when the clock of Redis was set back after a worker had taken it', async () => {
    const stream = new MessageStream(rains.redis);
    const received = [{ entryId: '1-0', id: 'm1', text: '' }];
    const takenBy = async (taker: string) => (await stream.take(received, taker, LEASE_MS)).mine;
    expect(await takenBy('dead')).toEqual(received);
    expect(await takenBy('second')).toEqual([]);
    await setClockBack('rp:{events}:mark:m1');
    expect(await takenBy('second')).toEqual(received);
    expect(await takenBy('third')).toEqual([]);
  });
});
