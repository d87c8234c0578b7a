import fc from 'fast-check';
import type { Packet, Release } from '../../libs/redis-scripts';
import { numbersOf, packetsUpTo, rains, shareRains } from '../harness/dispensing';

const USERS = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'];

shareRains();

const user = fc.constantFrom(...USERS);

const deed = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('draw' as const),
      users: fc.array(user, { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('return' as const), user }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('give' as const), user, to: user }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('confirm' as const), user }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('resend' as const), nth: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('flush scripts' as const) }) },
);

type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

/** Applies confirmations and refusals to a rain, including late and repeated ones. */
class Play {
  private readonly drawn = new Map<string, Packet>();
  private readonly releases: Omit<Release, 'shard'>[] = [];

  constructor(private readonly activityId: string) {}

  async act(next: Deed): Promise<void> {
    switch (next.does) {
      case 'draw':
        return this.draw(next.users);
      case 'return':
        return this.release(next.user, { fate: 'return' });
      case 'give':
        return this.give(next.user, next.to);
      case 'confirm':
        return this.confirm(next.user);
      case 'resend':
        return this.resend(next.nth);
      case 'flush scripts':
        await rains.redis.script('FLUSH');
    }
  }

  private async draw(users: string[]): Promise<void> {
    const outcomes = await rains.draw(this.activityId, ...users);
    outcomes.forEach((outcome, i) => {
      if (outcome.kind === 'won' || outcome.kind === 'already') this.drawn.set(users[i]!, outcome.packet);
    });
  }

  /** Releases the packet that this user drew last, even if they no longer hold it. */
  private async release(userId: string, how: Pick<Release, 'fate' | 'rightful'>): Promise<void> {
    const packet = this.drawn.get(userId);
    if (!packet) return;
    const release = { activityId: this.activityId, userId, packet, ...how };
    this.releases.push(release);
    await rains.release(release);
  }

  private async give(from: string, to: string): Promise<void> {
    const held = await rains.held(this.activityId);
    const packet = held.get(from);
    if (!packet || packet.confirmed || held.has(to)) return;
    await rains.release({
      activityId: this.activityId,
      userId: from,
      packet,
      fate: 'drop',
      rightful: { userId: to, packet },
    });
  }

  private async confirm(userId: string): Promise<void> {
    const packet = (await rains.held(this.activityId)).get(userId);
    if (packet)
      await rains.reservations.acknowledge(0, [{ activityId: this.activityId, userId, packet }], []);
  }

  private async resend(nth: number): Promise<void> {
    const release = this.releases[nth % this.releases.length];
    const held = (await rains.held(this.activityId)).get(release?.userId ?? '');
    if (release && held?.no !== release.packet.no) await rains.release(release);
  }
}

async function expectEachOnce(activityId: string, packets: readonly Packet[]): Promise<void> {
  const held = await rains.held(activityId);
  const all = [...(await rains.listed(activityId)), ...held.values()];
  expect(numbersOf(all).sort((a, b) => a - b)).toEqual(numbersOf(packets));
}

describe('the packets of a rain', () => {
  it('are each in the list or held by one user, exactly once, after every step', async () => {
    const plan = fc.record({
      packetCount: fc.integer({ min: 1, max: 8 }),
      deeds: fc.array(deed, { maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ packetCount, deeds }) => {
        const packets = packetsUpTo(packetCount);
        const activityId = await rains.rain(packets);
        const play = new Play(activityId);
        for (const next of deeds) {
          await play.act(next);
          await expectEachOnce(activityId, packets);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('are each in the list or held by one user, exactly once, after draws and their releases raced', async () => {
    const packets = packetsUpTo(40);
    const activityId = await rains.rain(packets);
    const crowd = Array.from({ length: 60 }, (_, i) => `crowd-${i}`);
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        crowd.map((userId, i) => drawAndMaybeReturn(activityId, userId, (i + round) % 3 > 0)),
      );
      await expectEachOnce(activityId, packets);
    }
  });

  async function drawAndMaybeReturn(activityId: string, userId: string, returns: boolean): Promise<void> {
    const [outcome] = await rains.draw(activityId, userId);
    if (!returns || (outcome?.kind !== 'won' && outcome?.kind !== 'already')) return;
    const release: Omit<Release, 'shard'> = { activityId, userId, packet: outcome.packet, fate: 'return' };
    await Promise.all([rains.release(release), rains.release(release)]);
  }
});
