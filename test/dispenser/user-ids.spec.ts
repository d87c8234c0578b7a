import fc from 'fast-check';
import type { DrawOutcome, Packet, Reservation } from '../../libs/redis-scripts';
import { packetsUpTo, pageOf, rains, shareRains } from '../harness/dispensing';
import { userIds } from '../harness/user-ids';

const STORIES = { numRuns: 60 };

shareRains();

const packetsOf = (
  users: readonly string[],
  outcomes: readonly DrawOutcome[],
  kind: 'won' | 'already',
): [string, Packet][] =>
  outcomes.flatMap((outcome, i) =>
    outcome.kind === kind ? [[users[i]!, bare(outcome.packet)] as [string, Packet]] : [],
  );

const bare = ({ no, amountMinor }: Packet): Packet => ({ no, amountMinor });

const reserved = (reservations: readonly Reservation[]): [string, Packet][] =>
  reservations.map(({ userId, packet }) => [userId, bare(packet)]);

const shardOf = (activityId: string) => rains.keys.shardOf(activityId);

const journaledBy = (activityId: string, work: () => Promise<unknown>) =>
  rains.journaledBy(shardOf(activityId), work);

/** Draws in one call, or in one call per user, which takes another path through the script. */
async function draw(activityId: string, users: readonly string[], atOnce: boolean): Promise<DrawOutcome[]> {
  if (atOnce) return rains.draw(activityId, ...users);
  const outcomes: DrawOutcome[] = [];
  for (const user of users) outcomes.push(...(await rains.draw(activityId, user)));
  return outcomes;
}

/** Users, a number of packets that may be too small for them, and whether they share one call. */
const crowd = fc.tuple(userIds(1, 8), fc.integer({ min: 1, max: 8 }), fc.boolean());

describe('whatever the ids of users are, Redis', () => {
  it('gives each of them a packet of their own, and remembers it in the journal and for the next tap', () =>
    fc.assert(
      fc.asyncProperty(crowd, async ([users, count, atOnce]) => {
        const activityId = await rains.rain(packetsUpTo(count));
        let won: [string, Packet][] = [];
        const journaled = await journaledBy(activityId, async () => {
          won = packetsOf(users, await draw(activityId, users, atOnce), 'won');
        });

        expect(won.map(([user]) => user)).toEqual(users.slice(0, count));
        expect(journaled.flatMap(({ reservations }) => reserved(reservations))).toEqual(won);
        expect(journaled.filter(({ flaw }) => flaw !== undefined)).toEqual([]);
        expect(packetsOf(users, await draw(activityId, users, !atOnce), 'already')).toEqual(won);
      }),
      STORIES,
    ));

  it('marks their claims, keeps them through a load, and takes back refused packets', () =>
    fc.assert(
      fc.asyncProperty(userIds(2, 8), async (users) => {
        const activityId = await rains.rain(packetsUpTo(users.length));
        const outcomes = await rains.draw(activityId, ...users);
        const [refused, ...confirmed] = packetsOf(users, outcomes, 'won');
        const claims = confirmed.map(([userId, packet]) => ({ activityId, userId, packet }));
        await rains.reservations.acknowledge(shardOf(activityId), claims, []);
        await rains.loadClaims(activityId, claims.slice(0, 1));
        const [userId, packet] = refused!;
        await rains.release({ activityId, userId, packet, fate: 'return' });

        const held = claims.map(({ userId, packet }) => [userId, { ...packet, confirmed: true }] as const);
        expect(await rains.held(activityId)).toEqual(new Map(held));
        expect(await rains.listed(activityId)).toEqual([{ ...packet, confirmed: false }]);
      }),
      STORIES,
    ));

  it('keeps their places in the waiting list, and serves them in that order', () =>
    fc.assert(
      fc.asyncProperty(userIds(1, 8), fc.nat(7), async (users, tapper) => {
        const activityId = await rains.rain([]);
        for (const [i, user] of users.entries())
          expect(await rains.waitingLists.join(activityId, user)).toEqual({
            kind: 'waiting',
            position: i + 1,
            length: i + 1,
          });
        for (const [i, user] of users.entries())
          expect(await rains.waitingLists.place(activityId, user)).toMatchObject({ position: i + 1 });

        await rains.extend(activityId, 0, pageOf(packetsUpTo(users.length)));
        const tapping = users[tapper % users.length]!;
        const tapped = packetsOf([tapping], await rains.draw(activityId, tapping), 'won');
        let assigned: Reservation[] = [];
        const journaled = await journaledBy(activityId, async () => {
          assigned = await rains.waitingLists.assign(activityId, users.length);
        });

        const others = users.filter((user) => user !== tapping);
        expect(tapped.map(([user]) => user)).toEqual([tapping]);
        expect(assigned.map(({ userId }) => userId)).toEqual(others);
        expect(assigned.every(({ waitedSince }) => /^\d{16}$/.test(waitedSince!))).toBe(true);
        expect(journaled.flatMap(({ reservations }) => reserved(reservations))).toEqual(reserved(assigned));
      }),
      STORIES,
    ));
});
