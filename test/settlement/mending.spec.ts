import { homeOf, type Place } from '../../libs/redis-scripts';
import { windowOf } from '../../src/core/activity/activity-terms';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { waitFor } from '../harness/engines';
import { rain, shareRain } from '../harness/shared-books';

shareRain();

const keysOf = (activityId: string) => rain.dispensing.keys.activity(activityId);

function userAtHomeIn(id: string, part: number): string {
  for (let i = 0; ; i++) if (homeOf(id, `u${i}`, 3) === part) return `u${i}`;
}

const statusOf = (activityId: string) => rain.dispensing.redis.hget(keysOf(activityId).state, 'status');

/** Leaves a loaded activity closed in Redis, and Postgres without the decision. */
async function closeInRedis(id: string): Promise<void> {
  await rain.loader.load(id);
  const window = windowOf((await rain.books.activities.findActivity(id))!);
  await rain.dispensing.close(id, 'any-time', window);
}

describe('the sweeper', () => {
  it('mends an activity while another activity ahead of it is held up', async () => {
    const held = await rain.books.activity({ packets: 1 });
    await closeInRedis(held);
    const missing = await rain.books.activity({ packets: 1 });
    const release = await rain.books.hold((tx) =>
      tx.query(`select from activity where id = $1 for update`, [held]),
    );

    const sweeping = rain.sweep();
    await waitFor(async () => (await statusOf(missing)) === 'open', { what: 'the load' });
    expect(await rain.books.blocked()).toHaveLength(1);
    await release();
    await sweeping;
    expect((await rain.books.activities.findActivity(held))!.status).toBe('closed');
  });

  it('retries an activity that it could not mend', async () => {
    const id = await rain.books.activity({ packets: 1 });
    await closeInRedis(id);
    const allow = await rain.books.refuseUpdates(`old.id = ${id}`);
    await rain.sweep();
    await rain.sweep();
    expect((await rain.books.activities.findActivity(id))!.status).toBe('active');

    await allow();
    await rain.sweep();
    expect((await rain.books.activities.findActivity(id))!.status).toBe('closed');
  });

  it('does not reopen a part of an activity whose other parts have answered closed, even if Postgres has lost the decision', async () => {
    const id = await rain.openRain({ packets: 12, parts: 3 });
    const api = await rain.openApi();
    await rain.trust(api);
    const grab = (part: number) => api.get(GrabService).grab(id, userAtHomeIn(id, part));
    expect(await grab(2)).toMatchObject({ kind: 'won' });
    const [first, ...others] = rain.dispensing.keys.placesOf({ id, parts: 3 });
    const stateOf = (place: Place) => rain.dispensing.keys.at(place).state;
    for (const place of others) await rain.dispensing.redis.hset(stateOf(place), 'status', 'closed');
    expect(await grab(1)).toEqual({ kind: 'closed' });

    await rain.dispensing.redis.del(stateOf(first!));
    await rain.sweeper.mendAll();
    await expect(grab(0)).rejects.toThrow();
    await rain.sweep();
    expect(await grab(0)).toEqual({ kind: 'closed' });
    expect(await rain.books.broken()).toEqual([]);
  });
});
