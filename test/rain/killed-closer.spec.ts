import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';

describe('a closing API that is killed', () => {
  it.each(['close.after-intention', 'close.after-refuse'])(
    'at %s does not reopen a rain, even if Redis is flushed then: taps get their packet or 503 until it is closed',
    async (where) => {
      const system = await Installation.start({ FAILPOINTS: `${where}=kill@1` });
      try {
        const activityId = await system.createActivity({ packetCount: 5 });
        const grabs = `/v1/activities/${activityId}/grabs`;
        const won = await waitFor(
          async () => {
            const answer = await system.user('ann').post(grabs);
            return answer.status === 200 ? answer : undefined;
          },
          { what: 'a packet for Ann' },
        );
        await system
          .operator()
          .post(`/v1/activities/${activityId}/close`)
          .catch(() => undefined);
        await system.api.ended;
        await system.redis.flushall();

        const { url } = await system.startAnother('main.js', { FAILPOINTS: '' });
        const { redPacketId } = won!.body as { redPacketId: string };
        const tap = async (user: string) => {
          const token = system.tokenOf(user);
          const response = await fetch(url + grabs, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'idempotency-key': `${user}-${Date.now()}` },
          });
          return { status: response.status, body: (await response.json()) as Record<string, unknown> };
        };
        const heard: number[] = [];
        await system.startWorker({ FAILPOINTS: '' });
        await waitFor(
          async () => {
            expect(await tap('ann')).toMatchObject({ status: 200, body: { code: '1', redPacketId } });
            const { status, body } = await tap('bob');
            heard.push(status);
            if (status === 200) expect(body).toEqual({ code: '-1', reason: 'closed' });
            return status === 200;
          },
          { what: 'the close' },
        );
        expect(new Set(heard)).toEqual(heard.length > 1 ? new Set([503, 200]) : new Set([200]));
        const [row] = await system.sql<{ status: string }>('select status from activity where id = $1', [
          activityId,
        ]);
        expect(row?.status).toBe('closed');
        await system.verify();
      } finally {
        await system.stop();
      }
    },
  );
});
