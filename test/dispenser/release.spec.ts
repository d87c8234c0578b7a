import type { DrawOutcome, Packet, Release } from '../../libs/redis-scripts';
import { numbersOf, packetsUpTo, rains, shareRains } from '../harness/dispensing';

shareRains();

async function won(activityId: string, userId: string): Promise<Packet> {
  const [outcome] = await rains.draw(activityId, userId);
  return wonBy(outcome);
}

function wonBy(outcome: DrawOutcome | undefined): Packet {
  if (outcome?.kind !== 'won') throw new Error(`not won: ${outcome?.kind}`);
  return { no: outcome.packet.no, amountMinor: outcome.packet.amountMinor };
}

async function releaseThrice(release: Omit<Release, 'shard'>): Promise<void> {
  for (let time = 0; time < 3; time++) await rains.release(release);
}

describe('a release', () => {
  it('puts the packet back with "return", only once however often it is sent', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    const packet = await won(activityId, 'ann');
    await releaseThrice({ activityId, userId: 'ann', packet, fate: 'return' });

    expect(numbersOf(await rains.listed(activityId)).sort()).toEqual([1, 2, 3]);
    expect(await rains.held(activityId)).toEqual(new Map());
  });

  it('lets the next user have the packet with "return"', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    const packet = await won(activityId, 'ann');
    await rains.release({ activityId, userId: 'ann', packet, fate: 'return' });
    expect(await won(activityId, 'bob')).toEqual(packet);
  });

  it('puts a packet back whose claim Postgres has lost, and its next holder is not confirmed', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    const packet = await won(activityId, 'ann');
    const shard = rains.keys.shardOf(activityId);
    await rains.reservations.acknowledge(shard, [{ activityId, userId: 'ann', packet }], []);
    const lost = { ...packet, confirmed: true };
    await rains.release({ activityId, userId: 'ann', packet: lost, fate: 'return' });
    await won(activityId, 'bob');
    expect(await rains.held(activityId)).toEqual(new Map([['bob', { ...packet, confirmed: false }]]));
  });

  it('never hands the packet out again with "drop"', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    const packet = await won(activityId, 'ann');
    await releaseThrice({ activityId, userId: 'ann', packet, fate: 'drop' });
    expect(await rains.draw(activityId, 'ann', 'bob')).toEqual([{ kind: 'sold-out' }, { kind: 'sold-out' }]);
  });

  it('records the rightful owner, who is then answered "already"', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    const packet = await won(activityId, 'ann');
    const rightful = { userId: 'bob', packet };
    await releaseThrice({ activityId, userId: 'ann', packet, fate: 'drop', rightful });

    expect(await rains.draw(activityId, 'bob')).toEqual([
      { kind: 'already', packet: { ...packet, confirmed: true } },
    ]);
    expect((await won(activityId, 'ann')).no).not.toBe(packet.no);
  });

  it('records which packet the user holds instead', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    const packet = await won(activityId, 'ann');
    const other = { no: 5, amountMinor: 500n };
    await releaseThrice({
      activityId,
      userId: 'ann',
      packet,
      fate: 'return',
      rightful: { userId: 'ann', packet: other },
    });

    expect(await rains.draw(activityId, 'ann')).toEqual([
      { kind: 'already', packet: { ...other, confirmed: true } },
    ]);
    expect(await rains.listed(activityId)).toMatchObject([packet]);
  });

  it('does not touch a claim that was confirmed in the meantime', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    const packet = await won(activityId, 'ann');
    await rains.reservations.acknowledge(0, [{ activityId, userId: 'ann', packet }], []);
    await releaseThrice({ activityId, userId: 'ann', packet, fate: 'return' });

    expect(await rains.listed(activityId)).toEqual([]);
    expect(await rains.held(activityId)).toEqual(new Map([['ann', { ...packet, confirmed: true }]]));
  });

  it('does not touch a packet that the user has drawn since', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    const first = await won(activityId, 'ann');
    await rains.release({ activityId, userId: 'ann', packet: first, fate: 'drop' });
    const second = await won(activityId, 'ann');
    await releaseThrice({ activityId, userId: 'ann', packet: first, fate: 'return' });

    expect(await rains.listed(activityId)).toEqual([]);
    expect((await rains.held(activityId)).get('ann')?.no).toBe(second.no);
  });
});

describe('an acknowledgement', () => {
  it('marks claims as confirmed and removes only the decided entries', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    const first = await rains.draw(activityId, 'ann', 'bob');
    const second = await rains.draw(activityId, 'cem');
    const entryOf = ([outcome]: DrawOutcome[]) => (outcome?.kind === 'won' ? outcome.entry.id : '');
    const claims = ['ann', 'bob'].map((userId, i) => ({ activityId, userId, packet: wonBy(first[i]) }));
    for (let time = 0; time < 3; time++) await rains.reservations.acknowledge(0, claims, [entryOf(first)]);

    const ids = (await rains.journals.read(0, '-', '+', 1_000)).map(({ id }) => id);
    expect(ids).not.toContain(entryOf(first));
    expect(ids).toContain(entryOf(second));
    const held = await rains.held(activityId);
    expect(['ann', 'bob', 'cem'].map((user) => held.get(user)?.confirmed)).toEqual([true, true, false]);
  });

  it('marks each claim in its own activity when they belong to several', async () => {
    const [one, two] = [await rains.rain(packetsUpTo(1)), await rains.rain(packetsUpTo(1))];
    const claims = await Promise.all(
      [one, two].map(async (activityId) => ({
        activityId,
        userId: 'ann',
        packet: await won(activityId, 'ann'),
      })),
    );
    await rains.reservations.acknowledge(0, claims, []);
    for (const activityId of [one, two])
      expect((await rains.held(activityId)).get('ann')).toMatchObject({ no: 1, confirmed: true });
  });
});

/** Redis has listed ann's packet again, so she draws another packet, which Postgres will refuse. */
describe('a second packet, drawn because Redis had forgotten the first, is free again', () => {
  type Meanwhile = (activityId: string, first: Packet) => Promise<void>;

  it.each<[string, Meanwhile]>([
    ['when Postgres refuses it', async () => undefined],
    [
      'when the first one was acknowledged before that',
      (activityId, packet) => rains.reservations.acknowledge(0, [{ activityId, userId: 'ann', packet }], []),
    ],
    [
      'when another user had already learned whose packet they had drawn',
      async (activityId, packet) => {
        await won(activityId, 'bob');
        expect(await won(activityId, 'cem')).toEqual(packet);
        const rightful = { userId: 'ann', packet };
        await rains.release({ activityId, userId: 'cem', packet, fate: 'drop', rightful });
      },
    ],
  ])('%s', async (_, meanwhile) => {
    const activityId = await rains.rain(packetsUpTo(3));
    const first = await won(activityId, 'ann');
    await forget(activityId, 'ann', first);
    const second = await won(activityId, 'ann');
    await meanwhile(activityId, first);
    const rightful = { userId: 'ann', packet: first };
    await releaseThrice({ activityId, userId: 'ann', packet: second, fate: 'return', rightful });

    expect((await rains.held(activityId)).get('ann')).toEqual({ ...first, confirmed: true });
    const listed = numbersOf(await rains.listed(activityId));
    expect(listed.filter((no) => no === second.no)).toEqual([second.no]);
  });

  /** Undoes a draw, as a stale replica or a lost tail of the append-only file does. */
  async function forget(activityId: string, userId: string, { no, amountMinor }: Packet): Promise<void> {
    const { packets, claims } = rains.keys.activity(activityId);
    await rains.redis.multi().hdel(claims, userId).lpush(packets, `${no}:${amountMinor}`).exec();
  }
});
