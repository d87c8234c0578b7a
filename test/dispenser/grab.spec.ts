import { InvariantViolation } from '../../libs/invariant';
import { type DrawOutcome, type Packet, TapTallies } from '../../libs/redis-scripts';
import { numbersOf, packetsUpTo, rains, shareRains } from '../harness/dispensing';
import { waitFor } from '../harness/engines';

shareRains();

const kinds = (outcomes: readonly DrawOutcome[]): string[] => outcomes.map(({ kind }) => kind);

const users = (count: number, name = 'user'): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);

function packetOf(outcome: DrawOutcome | undefined): Packet {
  if (outcome?.kind !== 'won' && outcome?.kind !== 'already') throw new Error(`no packet: ${outcome?.kind}`);
  const { no, amountMinor } = outcome.packet;
  return { no, amountMinor };
}

describe('one call', () => {
  it('gives one packet to a user who is in the call twice: won, then already', async () => {
    const activityId = await rains.rain(packetsUpTo(3));
    const outcomes = await rains.draw(activityId, 'ann', 'bob', 'ann');

    expect(kinds(outcomes)).toEqual(['won', 'won', 'already']);
    expect(packetOf(outcomes[2])).toEqual(packetOf(outcomes[0]));
    expect(await rains.listed(activityId)).toHaveLength(1);
  });

  it('answers a user who is in the call twice with the last packet both times, never "sold-out"', async () => {
    const activityId = await rains.rain(packetsUpTo(1));
    expect(kinds(await rains.draw(activityId, 'ann', 'bob', 'ann', 'bob'))).toEqual([
      'won',
      'sold-out',
      'already',
      'sold-out',
    ]);
  });

  it('hands each packet to a single user, across many users and several activities of a shard', async () => {
    const rainy = await Promise.all([30, 20, 0].map((count) => rains.rain(packetsUpTo(count), undefined, 1)));
    const ahead = await rains.rain(packetsUpTo(5), await rains.window(60_000, 120_000), 1);
    const unknown = rains.newActivity(1);
    const draws = [...rainy, ahead, unknown].map((activityId) => ({ activityId, userIds: users(25) }));

    const outcomes = await rains.reservations.draw(1, draws);

    expect(kinds(outcomes)).toEqual([
      ...new Array<string>(25).fill('won'),
      ...new Array<string>(20).fill('won'),
      ...new Array<string>(5).fill('sold-out'),
      ...new Array<string>(25).fill('sold-out'),
      ...new Array<string>(25).fill('not-open'),
      ...new Array<string>(25).fill('not-loaded'),
    ]);
    for (const [i, count] of [25, 20].entries()) {
      const won = outcomes.slice(i * 25, i * 25 + count).map(packetOf);
      expect(new Set(numbersOf(won)).size).toBe(count);
      expect(won.every(({ no, amountMinor }) => amountMinor === BigInt(100 * no))).toBe(true);
      const held = await rains.held(rainy[i]!);
      expect(users(count).map((user) => held.get(user)?.no)).toEqual(numbersOf(won));
      const left = numbersOf(await rains.listed(rainy[i]!));
      expect([...left, ...numbersOf(won)].sort((a, b) => a - b)).toEqual(
        numbersOf(packetsUpTo(count + left.length)),
      );
    }
  });

  it('serves 256 users at once, as many as the API ever sends', async () => {
    const activityId = await rains.rain(packetsUpTo(300));
    const outcomes = await rains.draw(activityId, ...users(256));
    expect(new Set(outcomes.map((outcome) => packetOf(outcome).no)).size).toBe(256);
  });

  it('answers "already" with the same packets when it is sent again, and takes nothing more', async () => {
    const activityId = await rains.rain(packetsUpTo(50));
    const first = await rains.draw(activityId, ...users(20));
    const before = await rains.standingOf(activityId);

    const journaled = await rains.journaledBy(0, async () => {
      const again = await rains.draw(activityId, ...users(20));
      expect(kinds(again)).toEqual(new Array<string>(20).fill('already'));
      expect(again.map(packetOf)).toEqual(first.map(packetOf));
    });

    expect(journaled).toEqual([]);
    expect(await rains.standingOf(activityId)).toEqual(before);
  });

  it('works after SCRIPT FLUSH, and does not forget any holder', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    const [first] = await rains.draw(activityId, 'ann');
    await rains.redis.script('FLUSH');
    const outcomes = await rains.draw(activityId, 'ann', 'bob');

    expect(kinds(outcomes)).toEqual(['already', 'won']);
    expect(packetOf(outcomes[0])).toEqual(packetOf(first));
  });

  it('never hands out a packet that another call hands out at the same time', async () => {
    const activityId = await rains.rain(packetsUpTo(100));
    const calls = Array.from({ length: 40 }, (_, i) =>
      rains.draw(activityId, ...users(10, `crowd-${i % 20}`)),
    );
    const outcomes = (await Promise.all(calls)).flat();

    const won = outcomes.filter(({ kind }) => kind === 'won').map(packetOf);
    expect(numbersOf(won).sort((a, b) => a - b)).toEqual(numbersOf(packetsUpTo(100)));
    expect(await rains.readStanding(activityId)).toMatchObject({ status: 'open', packetsLeft: 0, held: 100 });
  });
});

describe('the journal', () => {
  it('gets one entry per call, with all its winners and no other user', async () => {
    const one = await rains.rain(packetsUpTo(3), undefined, 2);
    const two = await rains.rain(packetsUpTo(1), undefined, 2);
    await rains.draw(one, 'holder');
    let outcomes: DrawOutcome[] = [];

    const journaled = await rains.journaledBy(2, async () => {
      outcomes = await rains.reservations.draw(2, [
        { activityId: one, userIds: ['ann', 'holder', 'bob', 'ann', 'late'] },
        { activityId: two, userIds: ['ann', 'late'] },
      ]);
    });

    expect(kinds(outcomes)).toEqual(['won', 'already', 'won', 'already', 'sold-out', 'won', 'sold-out']);
    expect(journaled).toHaveLength(1);
    const winners = journaled[0]!.reservations.map(({ activityId, userId, packet }) => ({
      activityId,
      userId,
      no: packet.no,
    }));
    expect(winners).toEqual([
      { activityId: one, userId: 'ann', no: packetOf(outcomes[0]).no },
      { activityId: one, userId: 'bob', no: packetOf(outcomes[2]).no },
      { activityId: two, userId: 'ann', no: packetOf(outcomes[5]).no },
    ]);
  });

  it('gives all winners of a call the same entry, which is decided with the last of them, and only once', async () => {
    const activityId = await rains.rain(packetsUpTo(2));
    const journaled = await rains.journaledBy(0, async () => {
      const outcomes = await rains.draw(activityId, 'ann', 'bob', 'late');
      const entries = outcomes.flatMap((outcome) => (outcome.kind === 'won' ? [outcome.entry] : []));
      expect(entries).toHaveLength(2);
      expect(entries[0]).toBe(entries[1]);
      expect(entries.map((entry) => entry.decideOne())).toEqual([false, true]);
    });
    const read = journaled[0]!.reservations.map(({ entry }) => entry!);
    expect(read[0]!.id).toBe(journaled[0]!.id);
    expect(read.map((entry) => entry.decideOne())).toEqual([false, true]);
    expect(() => read[0]!.decideOne()).toThrow(InvariantViolation);
  });

  it('gets no entry from a call in which no user wins', async () => {
    const activityId = await rains.rain(packetsUpTo(0));
    expect(await rains.journaledBy(0, () => rains.draw(activityId, ...users(5)))).toEqual([]);
  });

  it('is read in pages, each starting after the previous one, up to an end', async () => {
    const activityId = await rains.rain(packetsUpTo(5), undefined, 3);
    for (const user of users(5)) await rains.draw(activityId, user);
    const all = await rains.journals.read(3, '-', '+', 100);
    const first = await rains.journals.read(3, '-', '+', 2);
    const second = await rains.journals.read(3, first[1]!.id, all[3]!.id, 100);

    expect([...first, ...second].map(({ id }) => id)).toEqual(all.slice(0, 4).map(({ id }) => id));
    expect(await rains.journals.end(3)).toBe(all.at(-1)?.id);
    expect((await rains.journals.standing(3)).entries).toBe(all.length);
  });
});

describe('the window', () => {
  it('opens by the clock of the server, not earlier and not later', async () => {
    const window = await rains.window(120, 60_000);
    const activityId = await rains.rain(packetsUpTo(1), window);
    const { before, after } = await changeFrom('not-open', activityId);

    expect(before).toBeLessThan(window.opensAtMs);
    expect(after).toBeGreaterThanOrEqual(window.opensAtMs);
    expect(kinds(await rains.draw(activityId, 'ann'))).toEqual(['already']);
  });

  it('closes by the clock of the server, not earlier and not later', async () => {
    const window = await rains.window(-1_000, 120);
    const activityId = await rains.rain(packetsUpTo(0), window);
    const { before, after } = await changeFrom('sold-out', activityId);

    expect(before).toBeLessThan(window.closesAtMs);
    expect(after).toBeGreaterThanOrEqual(window.closesAtMs);
    expect(kinds(await rains.draw(activityId, 'ann'))).toEqual(['over']);
  });

  /** Returns the server's clock before the last answer `old`, and after the first other answer. */
  async function changeFrom(old: string, activityId: string): Promise<{ before: number; after: number }> {
    let before = 0;
    const after = await waitFor(
      async () => {
        const now = await rains.nowMs();
        const [outcome] = await rains.draw(activityId, 'ann');
        if (outcome?.kind !== old) return rains.nowMs();
        before = now;
        return undefined;
      },
      { what: `an end of ${old}` },
    );
    return { before, after: after! };
  }
});

describe('the counts of taps', () => {
  it('add up for a rain, and leave nothing for one that Redis does not hold', async () => {
    const tallies = new TapTallies(rains.own);
    const [activityId, unknown] = [await rains.rain(packetsUpTo(1)), rains.newActivity()];
    for (const id of [activityId, activityId, unknown]) await tallies.add(id, [['closed', 2]]);
    expect(await tallies.readTallies(activityId)).toEqual({ closed: 4 });
    expect(await rains.redis.exists(rains.keys.taps(unknown))).toBe(0);
  });
});
