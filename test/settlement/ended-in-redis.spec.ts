import type { Books } from '../support/books';
import { Dispensing } from '../support/dispensing';
import { WholeRain } from '../support/whole-rain';

let books: Books;
let dispensing: Dispensing;
let rain: WholeRain;

beforeAll(async () => {
  rain = await WholeRain.start();
  ({ books, dispensing } = rain);
});

afterAll(() => rain.stop());

/** Ann has won one of two packets. */
async function rainWithWinner(): Promise<string> {
  const activityId = await books.activity({ packets: 2 });
  await rain.loader.load(activityId);
  await rain.grab(activityId, 'ann');
  return activityId;
}

async function expectClosed(activityId: string): Promise<void> {
  expect(await dispensing.draw(activityId, 'ann', 'bob')).toMatchObject([
    { kind: 'already', packet: { confirmed: true } },
    { kind: 'closed' },
  ]);
  expect(await dispensing.listed(activityId)).toEqual([]);
}

describe('an activity that has ended in Postgres is closed in Redis again', () => {
  it('when a Redis that is not yet believed takes it for open: its close was in the tail that got lost', async () => {
    const activityId = await rainWithWinner();
    const { state, gate, packets, claims } = dispensing.dispenser.keys.activity(activityId);
    const keys = [state, gate, packets, claims];
    const before = await Promise.all(keys.map((key) => dispensing.redis.dumpBuffer(key)));
    await rain.end(activityId);
    await Promise.all(keys.map((key, i) => dispensing.redis.restore(key, 0, before[i]!, 'REPLACE')));
    await dispensing.redis.del(dispensing.dispenser.keys.trustedServer());

    await rain.sweep();
    await expectClosed(activityId);
    expect(await dispensing.dispenser.isTrusted()).toBe(true);
  });

  it('when its closer died after the refund, and Redis had forgotten the winners before', async () => {
    const activityId = await rainWithWinner();
    await rain.sweep();
    await dispensing.redis.del(
      ...(Object.values(dispensing.dispenser.keys.activity(activityId)) as string[]),
    );
    const activity = (await books.activities.find(activityId))!;
    const ending = await rain.closing.refuseGrabs(activity, 'any-time');
    await books.dataSource.transaction((tx) => rain.closing.refund(tx, activityId, ending!));
    expect(await dispensing.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);

    await rain.sweep();
    await expectClosed(activityId);
  });
});
