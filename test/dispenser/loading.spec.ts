import fc from 'fast-check';
import type { DispenserStatus, Packet, Window } from '../../libs/redis-scripts';
import { waitFor } from '../harness/engines';
import { onOneServer } from '../harness/on-one-server';
import { numbersOf, packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';

shareRains();

/** A loader that can stop, be forgotten or be overtaken between any two of its calls. */
class Loader {
  private cursor: number | undefined;

  constructor(
    private readonly activityId: string,
    private readonly packets: readonly Packet[],
    private readonly window: Window,
    private readonly chunk: number,
  ) {}

  async step(): Promise<DispenserStatus> {
    if (this.cursor === undefined) {
      const { status, packetCursor } = await rains.begin(this.activityId, this.window);
      this.cursor = packetCursor;
      return status;
    }
    const { cursor } = this;
    const page = this.packets.filter(({ no }) => no > cursor).slice(0, this.chunk);
    if (page.length === 0) return rains.open(this.activityId, cursor);
    this.cursor = await rains.loadPackets(this.activityId, cursor, pageOf(page));
    return 'loading';
  }

  crash(): void {
    this.cursor = undefined;
  }

  async finish(): Promise<void> {
    this.crash();
    while ((await this.step()) !== 'open');
  }
}

describe('loading', () => {
  const turn = fc.record({ loader: fc.nat({ max: 1 }), crashes: fc.boolean() });

  it('ends with every packet loaded once, wherever it was cut off and however many loaders ran', async () => {
    const plan = fc.record({
      packetCount: fc.nat({ max: 30 }),
      chunks: fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 })),
      turns: fc.array(turn, { maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ packetCount, chunks, turns }) => {
        const activityId = rains.newActivity();
        const packets = packetsUpTo(packetCount);
        const window = await rains.window();
        const loaders = chunks.map((chunk) => new Loader(activityId, packets, window, chunk));
        for (const { loader, crashes } of turns) {
          if (crashes) loaders[loader]!.crash();
          const status = await loaders[loader]!.step();
          if (status === 'open') expect(await rains.listed(activityId)).toHaveLength(packetCount);
        }
        await loaders[0]!.finish();
        expect(numbersOf(await rains.listed(activityId))).toEqual(numbersOf(packets));
      }),
      { numRuns: 60 },
    );
  });

  it('accepts a chunk once, however often and by however many loaders it is sent', async () => {
    const activityId = rains.newActivity();
    const window = await rains.window();
    await rains.begin(activityId, window);
    const send = () => rains.loadPackets(activityId, 0, pageOf(packetsUpTo(10)));

    expect(await Promise.all([send(), send(), send()])).toEqual([10, 10, 10]);
    expect((await rains.begin(activityId, window)).packetCursor).toBe(10);
    expect(numbersOf(await rains.listed(activityId))).toEqual(numbersOf(packetsUpTo(10)));
  });

  it('refuses a chunk that does not begin at the cursor', async () => {
    const activityId = rains.newActivity();
    await rains.load(activityId, packetsUpTo(5));
    expect(await rains.loadPackets(activityId, 3, pageOf(packetsUpTo(8).slice(3)))).toBe(5);
    expect(await rains.loadPackets(activityId, 6, pageOf(packetsUpTo(8).slice(6)))).toBe(5);
    expect(await rains.listed(activityId)).toHaveLength(5);
  });

  it('answers "not-loaded" until the activity is open, even to the holder of a claim', async () => {
    const activityId = rains.newActivity();
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
    await rains.load(activityId, packetsUpTo(3));
    await rains.loadClaims(activityId, [{ activityId, userId: 'ann', packet: { no: 9, amountMinor: 9n } }]);
    expect(await rains.draw(activityId, 'ann', 'bob')).toEqual([
      { kind: 'not-loaded' },
      { kind: 'not-loaded' },
    ]);
    await rains.open(activityId, 3);
    const outcomes = await rains.draw(activityId, 'ann', 'bob');
    expect(outcomes).toMatchObject([
      { kind: 'already', packet: { no: 9, confirmed: true } },
      { kind: 'won' },
    ]);
  });

  it('clears the remains of an activity whose state is lost, because they may be incomplete', async () => {
    const { redis } = rains;
    const activityId = await rains.rain(packetsUpTo(5));
    await rains.draw(activityId, 'ann', 'bob');
    await redis.del(rains.keys.activity(activityId).state);

    await rains.load(activityId, packetsUpTo(4));
    expect(await rains.draw(activityId, 'cem')).toEqual([{ kind: 'not-loaded' }]);
    await rains.open(activityId, 4);

    expect(numbersOf(await rains.listed(activityId))).toEqual([1, 2, 3, 4]);
    expect(await rains.held(activityId)).toEqual(new Map());
  });

  onOneServer.it('frees many leftovers in the background', async () => {
    const { redis } = rains;
    const activityId = rains.newActivity();
    await rains.load(activityId, []);
    await rains.loadClaims(
      activityId,
      packetsUpTo(1_000).map((packet) => ({ activityId, userId: `user-${packet.no}`, packet })),
    );
    await redis.del(rains.keys.activity(activityId).state);
    const freedLazily = async () => Number(/lazyfreed_objects:(\d+)/.exec(await redis.info('memory'))?.[1]);
    const before = await freedLazily();
    await rains.begin(activityId, await rains.window());
    await waitFor(async () => (await freedLazily()) > before, { what: 'the lazy freeing' });
  });

  it('starts over by forgetting the activity, and no user can draw from then on', async () => {
    const activityId = await rains.rain(packetsUpTo(5));
    await rains.draw(activityId, 'ann');
    await rains.contents.forget(rains.keys.placeOf(activityId));
    expect(await rains.draw(activityId, 'bob')).toEqual([{ kind: 'not-loaded' }]);
  });

  it('is refused for an open activity: its packets are not loaded a second time', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    await rains.draw(activityId, 'ann');
    const before = await rains.standingOf(activityId);
    expect(await rains.begin(activityId, before)).toMatchObject({ status: 'open' });
    await rains.loadPackets(activityId, 3, pageOf([{ no: 4, amountMinor: 400n }]));
    expect(await rains.standingOf(activityId)).toEqual(before);
  });
});

describe('opening', () => {
  it('succeeds for an activity all of whose packets are claimed', async () => {
    const activityId = rains.newActivity();
    await rains.load(activityId, []);
    expect(await rains.open(activityId, 0)).toBe('open');
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'sold-out' }]);
  });

  it('is refused while the cursor has not reached the end', async () => {
    const activityId = rains.newActivity();
    await rains.load(activityId, packetsUpTo(5));
    expect(await rains.open(activityId, 6)).toBe('loading');
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
    expect(await rains.open(activityId, 5)).toBe('open');
  });

  it.each([
    ['fewer than', (key: string) => rains.redis.lpop(key)],
    ['more than', (key: string) => rains.redis.lpush(key, '6:600')],
    ['none of', (key: string) => rains.redis.del(key)],
  ])('is refused while the list holds %s the packets that were loaded', async (_, tamper) => {
    const activityId = rains.newActivity();
    await rains.load(activityId, packetsUpTo(5));
    await tamper(rains.keys.activity(activityId).packets);
    expect(await rains.open(activityId, 5)).toBe('loading');
  });

  it('does nothing when Redis does not know the activity', async () => {
    const activityId = rains.newActivity();
    expect(await rains.open(activityId, 0)).toBeFalsy();
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
  });

  it('changes nothing when it is sent again', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    await rains.draw(activityId, 'ann');
    expect(await rains.open(activityId, 2)).toBe('open');
    expect(await rains.readStanding(activityId)).toMatchObject({ status: 'open', packetsLeft: 1, held: 1 });
  });
});

describe('an extension', () => {
  const added = packetsUpTo(5).slice(3);

  it('appends a page once, however often it is sent, and the earlier packets are drawn as well', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    await rains.draw(activityId, 'ann', 'bob');
    const send = () => rains.extend(activityId, 3, pageOf(added));
    expect(await Promise.all([send(), send(), send()])).toEqual([5, 5, 5]);
    expect(numbersOf(await rains.listed(activityId))).toEqual([1, 4, 5]);
    expect(await rains.readStanding(activityId)).toMatchObject({
      status: 'open',
      packetsLeft: 3,
      held: 2,
      packetCursor: 5,
    });
  });

  it('refuses a page that does not begin at the cursor', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    expect(await rains.extend(activityId, 2, pageOf(added))).toBe(3);
    expect(await rains.extend(activityId, 4, pageOf(added))).toBe(3);
    expect(await rains.listed(activityId)).toHaveLength(3);
  });

  it('moves the cursor over packets that are all claimed', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    expect(await rains.extend(activityId, 3, { text: '', lastNo: 5 })).toBe(5);
    expect(await rains.listed(activityId)).toHaveLength(3);
  });

  it('is refused while the activity is not loaded, and once it has ended', async () => {
    const loading = rains.newActivity();
    await rains.load(loading, packetsUpTo(3));
    const closed = await rains.rain(packetsUpTo(3));
    await rains.close(closed, 'any-time', await rains.window());
    const unknown = rains.newActivity();
    for (const activityId of [loading, closed, unknown]) {
      const before = await rains.standingOf(activityId);
      await rains.extend(activityId, before.packetCursor, pageOf(added));
      expect(await rains.standingOf(activityId)).toEqual(before);
    }
  });
});

describe('an open and a close of one activity', () => {
  it('end closed when the close comes before the load', async () => {
    const activityId = rains.newActivity();
    const window = await rains.window();
    await rains.close(activityId, 'any-time', window);

    expect(await rains.begin(activityId, window)).toEqual({ status: 'closing', packetCursor: 0 });
    await rains.loadPackets(activityId, 0, pageOf(packetsUpTo(3)));
    expect(await rains.open(activityId, 0)).toBe('closing');
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
    expect(await rains.listed(activityId)).toEqual([]);
  });

  it.each([0, 1, 2])('end closed when the close comes after %i chunks of the load', async (chunks) => {
    const activityId = rains.newActivity();
    const window = await rains.window();
    const loader = new Loader(activityId, packetsUpTo(4), window, 2);
    for (let step = 0; step <= chunks; step++) await loader.step();
    await rains.close(activityId, 'any-time', window);
    const left = await rains.listed(activityId);

    for (let step = 0; step < 4; step++) expect(await loader.step()).not.toBe('open');
    expect(await rains.listed(activityId)).toEqual(left);
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
  });
});
