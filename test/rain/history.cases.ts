import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

describe('the history of an activity', () => {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const historyOf = async (id: string, caller = rain.operator()): Promise<any> => {
    const { status, body } = await caller.get(`/v1/activities/${id}/history`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  };

  /** Two win, one of them taps again, and two come too late. */
  async function played(sponsorId: string): Promise<string> {
    const id = await rain.createActivity({ packetCount: 2, totalAmount: '5.00', sponsorId });
    for (const user of ['ann', 'ben', 'ann', 'cid', 'dan']) await rain.tap(id, user);
    await rain.settled(id);
    const written = async () => {
      const row = await rain.row<{ taps: number }>(
        `select coalesce(sum(won + already + sold_out), 0)::int as taps from tap_minute where activity_id = ${id}`,
      );
      return row.taps === 5;
    };
    await waitFor(written, { what: 'the taps in Postgres' });
    return id;
  }

  it('shows its sponsor, and no other user, how many tapped, won and were paid, and how taps were answered', async () => {
    const id = await played('hana');
    const { total, points, ...rest } = await historyOf(id);
    expect(total).toMatchObject({ taps: 5, wins: 2, credited: 2, creditedAmount: '5.00' });
    const none = { reserved: 0, limit: 0, notOpen: 0, notYet: 0, closed: 0, unavailable: 0 };
    expect(total.answers).toEqual({ won: 2, already: 1, soldOut: 2, ...none });
    expect(total.p50Ms).toBeGreaterThan(0);
    expect(total.p99Ms).toBeGreaterThanOrEqual(total.p50Ms);
    expect(rest).toMatchObject({
      activityId: id,
      currency: 'CNY',
      stepSeconds: 60,
      previousActivityId: null,
    });
    const sum = (of: string) =>
      points.reduce((all: number, point: Record<string, number>) => all + point[of]!, 0);
    expect([sum('taps'), sum('wins'), sum('credited')]).toEqual([5, 2, 2]);
    expect((await rain.user('hana').get(`/v1/activities/${id}/history`)).status).toBe(200);
    expect((await rain.user('ann').get(`/v1/activities/${id}/history`)).status).toBe(404);
  });

  it("names the sponsor's previous activity that took taps, for comparison", async () => {
    const first = await played('hiro');
    await rain.createActivity({ packetCount: 1, sponsorId: 'hiro' });
    const second = await played('hiro');
    expect((await historyOf(second)).previousActivityId).toBe(first);
    expect((await historyOf(first)).previousActivityId).toBeNull();
  });

  it('outlives Redis, which forgets the taps', async () => {
    const id = await played('hugo');
    await rain.redis.flushall();
    await waitFor(async () => (await rain.proof(id)).redis.status !== 'missing', {
      what: 'the rain in Redis again',
    });
    expect((await historyOf(id)).total.taps).toBe(5);
  });
});
