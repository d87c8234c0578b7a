import { waitFor } from '../harness/engines';
import { rain } from '../harness/shared-installation';

describe('a closing API that is killed', () => {
  it.each(['close.after-intention', 'close.after-refuse'])(
    'at %s does not reopen a rain, even if Redis is then flushed: taps get their packet or 503 until it is closed',
    async (where) => {
      const { program, url } = await rain.startAnother('main.js', { FAILPOINTS: `${where}=kill@1` });
      const activityId = await rain.createActivity({ packetCount: 5 });
      const tap = (user: string) => rain.tap(activityId, user);
      const { redPacketId } = (await tap('ann')).body;
      expect(redPacketId).toBeDefined();
      await rain.pauseWorker();
      await rain
        .operator('operator', url)
        .post(`/v1/activities/${activityId}/close`)
        .catch(() => undefined);
      await program.ended;
      await rain.redis.flushall();

      const heard: number[] = [];
      rain.resumeWorker();
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
      expect(await rain.row('select status from activity where id = $1', [activityId])).toEqual({
        status: 'closed',
      });
    },
  );
});
