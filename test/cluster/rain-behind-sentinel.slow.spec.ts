import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { RedisSentinels } from '../harness/redis-sentinels';
import { insist } from './support';

let sentinels: RedisSentinels;
let rain: Installation;

beforeAll(async () => {
  sentinels = await RedisSentinels.start();
  rain = await Installation.startWithWorker(sentinels.env);
});

afterAll(async () => {
  await rain.stop();
  await sentinels.stop();
});

describe('a rain behind Sentinel', () => {
  it('continues with the promoted replica when the master dies', async () => {
    const activityId = await rain.createActivity({ packetCount: 20 });
    const users = Array.from({ length: 20 }, (_, i) => `u${i}`);
    const before = await Promise.all(users.slice(0, 10).map((user) => insist(rain, activityId, user)));
    await sentinels.killMaster();
    const after = await Promise.all(users.map((user) => insist(rain, activityId, user)));

    const packets = after.map(({ body }) => body.redPacketId as string);
    expect(new Set(packets).size).toBe(20);
    before.forEach(({ body }, i) => expect(packets[i]).toBe(body.redPacketId));
    expect((await insist(rain, activityId, 'late')).body).toEqual({ code: '-1', reason: 'sold-out' });
    await rain.settled(activityId, 60_000);
    await waitFor(() => rain.verify().then(() => true), { what: 'books and Redis that agree' });
  });
});
