import fc from 'fast-check';
import type { Packet } from '../../libs/redis-scripts';
import { numbersOf, packetsUpTo, rains, shareRains } from '../harness/dispensing';

const USERS = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'];

shareRains();

const user = fc.constantFrom(...USERS);

const deed = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('draw' as const),
      users: fc.array(user, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('join' as const), user }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('add' as const), count: fc.constantFrom(1, 2, 3) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('assign' as const), count: fc.constantFrom(1, 9) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('give back' as const, 'take away' as const, 'teach' as const),
      user,
    }),
  },
);

type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

/** One rain with draws, a waiting list, and claims that Redis learns later. */
class Play {
  private packets = 1;
  private readonly waitedSince = new Map<string, string>();

  constructor(private readonly activityId: string) {}

  async act(next: Deed): Promise<void> {
    switch (next.does) {
      case 'draw':
        return this.draw(next.users);
      case 'join':
        await rains.waitingLists.join(this.activityId, next.user);
        return;
      case 'add':
        await rains.extend(this.activityId, this.packets, this.newPackets(next.count));
        return;
      case 'assign':
        for (const { userId, waitedSince } of await rains.waitingLists.assign(this.activityId, next.count))
          this.waitedSince.set(userId, waitedSince!);
        return;
      case 'give back':
        return this.release(next.user, 'return');
      case 'take away':
        return this.release(next.user, 'drop');
      case 'teach':
        return this.teach(next.user);
    }
  }

  /** "Sold out" is right only if earlier waiting users get all the packets that are left. */
  private async draw(users: string[]): Promise<void> {
    const before = await this.standing();
    const outcomes = await rains.draw(this.activityId, ...users);
    const { free, waiters } = await this.standing();
    for (const [i, outcome] of outcomes.entries()) {
      const userId = users[i]!;
      const place = waiters.indexOf(userId);
      if (outcome.kind === 'sold-out') expect(free).toBeLessThanOrEqual(place >= 0 ? place : waiters.length);
      if (outcome.kind !== 'won') continue;
      expect(outcome.waitedSince !== undefined).toBe(before.waiters.includes(userId));
      if (outcome.waitedSince !== undefined) this.waitedSince.set(userId, outcome.waitedSince);
    }
    const covered = before.waiters.slice(0, before.free).filter((userId) => waiters.includes(userId));
    expect(covered.length).toBeLessThanOrEqual(free);
  }

  private newPackets(count: number) {
    const numbers = Array.from({ length: count }, () => (this.packets += 1));
    return { text: numbers.map((no) => `${no}:${100 * no}`).join(' '), lastNo: this.packets };
  }

  /** Refuses a reservation; the user who had been waiting for it continues to wait. */
  private async release(userId: string, fate: 'return' | 'drop'): Promise<void> {
    const packet = (await rains.held(this.activityId)).get(userId);
    if (!packet || packet.confirmed) return;
    const waitsSince = this.waitedSince.get(userId);
    await rains.release({ activityId: this.activityId, userId, packet, fate, waitsSince });
  }

  private async teach(userId: string): Promise<void> {
    if ((await rains.held(this.activityId)).has(userId)) return;
    const packet: Packet = { no: 1_000 + USERS.indexOf(userId), amountMinor: 1n };
    const claim = { activityId: this.activityId, userId, packet };
    if (packet.no % 3 === 0) await rains.reservations.acknowledge(0, [claim], []);
    else if (packet.no % 3 === 1) await rains.loadClaims(this.activityId, [claim]);
    else
      await rains.release({
        activityId: this.activityId,
        userId: 'nobody',
        packet,
        fate: 'drop',
        rightful: { userId, packet },
      });
  }

  private async standing(): Promise<{ free: number; waiters: string[] }> {
    const { waitlist } = rains.keys.activity(this.activityId);
    return {
      free: (await rains.listed(this.activityId)).length,
      waiters: await rains.redis.zrange(waitlist, 0, -1),
    };
  }

  /** Users who wait hold no packet, so every packet that is kept for them finds its user. */
  async check(): Promise<void> {
    const held = await rains.held(this.activityId);
    expect((await this.standing()).waiters.filter((userId) => held.has(userId))).toEqual([]);
    const all = numbersOf([...(await rains.listed(this.activityId)), ...held.values()]);
    expect(new Set(all).size).toBe(all.length);
  }
}

describe('while users wait', () => {
  it('a draw answers "sold-out" only when every free packet is kept for a waiting user without a packet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 25, size: 'max' }), async (deeds) => {
        const activityId = await rains.rain(packetsUpTo(1));
        const play = new Play(activityId);
        for (const next of deeds) {
          await play.act(next);
          await play.check();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('a user who wins by tapping leaves the list, and takes no packet from another user', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    await rains.draw(activityId, 'ann');
    await rains.waitingLists.join(activityId, 'cem');
    await rains.extend(activityId, 1, { text: '2:200 3:300', lastNo: 3 });

    expect(await rains.draw(activityId, 'cem')).toMatchObject([
      { kind: 'won', waitedSince: expect.stringMatching(/^\d{16}$/) },
    ]);
    expect(await rains.waitingLists.place(activityId, 'cem')).toBeUndefined();
    expect(await rains.draw(activityId, 'dan')).toMatchObject([{ kind: 'won' }]);
  });

  it('a tap does not overtake users who have waited longer', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    await rains.draw(activityId, 'ann');
    for (const userId of ['bob', 'cem', 'dan']) await rains.waitingLists.join(activityId, userId);
    await rains.extend(activityId, 1, { text: '2:200 3:300', lastNo: 3 });

    const outcomes = await rains.draw(activityId, 'eve', 'dan', 'cem');
    expect(outcomes.map(({ kind }) => kind)).toEqual(['sold-out', 'sold-out', 'won']);
    expect(await rains.waitingLists.assign(activityId, 9)).toMatchObject([{ userId: 'bob' }]);
    expect(await rains.waitingLists.place(activityId, 'dan')).toEqual({ position: 1, length: 1 });
  });

  it('the journal records since when a user who wins by a tap had been waiting, and nothing for others in the same call', async () => {
    const activityId = await rains.rain(packetsUpTo(1), undefined, 1);
    await rains.draw(activityId, 'ann');
    await rains.waitingLists.join(activityId, 'bob');
    await rains.extend(activityId, 1, { text: '2:200 3:300', lastNo: 3 });

    const journaled = await rains.journaledBy(1, () => rains.draw(activityId, 'eve', 'bob'));
    expect(journaled[0]!.reservations).toMatchObject([
      { userId: 'bob', waitedSince: expect.stringMatching(/^\d{16}$/) },
      { userId: 'eve', waitedSince: undefined },
    ]);
    const { entry } = journaled[0]!.reservations[0]!;
    expect([entry!.decideOne(), entry!.decideOne()]).toEqual([false, true]);
  });
});
