import type { Answer } from '../harness/client';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { RedisSentinels } from '../harness/redis-sentinels';

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

const insist = (activityId: string, user: string): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await rain.user(user).post(`/v1/activities/${activityId}/grabs`);
      return answer.status === 503 || answer.status === 202 ? undefined : answer;
    },
    { what: `an answer for ${user}` },
  ) as Promise<Answer>;

describe('a rain behind Sentinel', () => {
  it('continues with the promoted replica when the master dies', async () => {
    const activityId = await rain.createActivity({ packetCount: 20 });
    const users = Array.from({ length: 20 }, (_, i) => `u${i}`);
    const before = await Promise.all(users.slice(0, 10).map((user) => insist(activityId, user)));
    await sentinels.killMaster();
    const after = await Promise.all(users.map((user) => insist(activityId, user)));

    const packets = after.map(({ body }) => body.redPacketId as string);
    expect(new Set(packets).size).toBe(20);
    before.forEach(({ body }, i) => expect(packets[i]).toBe(body.redPacketId));
    expect((await insist(activityId, 'late')).body).toEqual({ code: '-1', reason: 'sold-out' });
    await rain.settled(activityId, 60_000);
    await waitFor(() => rain.verify().then(() => true), { what: 'books and Redis that agree' });
  });
});
