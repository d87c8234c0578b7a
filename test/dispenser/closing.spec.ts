import type { CloseWhen, Ending } from '../../libs/redis-scripts';
import { packetsUpTo, rains, shareRains, WINDOWS } from '../harness/dispensing';
import { waitFor } from '../harness/engines';

shareRains();

describe('a close', () => {
  it.each<[CloseWhen, keyof typeof WINDOWS, Ending | undefined]>([
    ['before-opening', 'ahead', 'cancelled'],
    ['before-opening', 'now', undefined],
    ['before-opening', 'over', undefined],
    ['after-closing', 'ahead', undefined],
    ['after-closing', 'now', undefined],
    ['after-closing', 'over', 'closed'],
    ['any-time', 'ahead', 'closed'],
    ['any-time', 'now', 'closed'],
    ['any-time', 'over', 'closed'],
  ])('%s, with the window %s, gives the ending %s', async (when, which, ending) => {
    const window = await rains.window(...WINDOWS[which]);
    const activityId = await rains.rain(packetsUpTo(2), window);
    const before = await rains.draw(activityId, 'ann');

    expect(await rains.close(activityId, when, window)).toBe(ending);
    const standing = await rains.readStanding(activityId);
    expect(standing.status).toBe(ending ? 'closed' : 'open');
    const told = await rains.draw(activityId, 'bob');
    if (ending) expect(told).toEqual([{ kind: 'closed' }]);
    else expect(told[0]?.kind).toBe(before[0]?.kind);
  });

  it.each<CloseWhen>(['any-time', 'before-opening', 'after-closing'])(
    'that is sent again (%s) gets the same answer, whatever the clock says by then: the first ending is final',
    async (again) => {
      const window = await rains.window(...WINDOWS.ahead);
      for (const [when, ending] of [
        ['any-time', 'closed'],
        ['before-opening', 'cancelled'],
      ] as const) {
        const activityId = await rains.rain(packetsUpTo(1), window);
        await rains.close(activityId, when, window);
        const { endedAtMs } = await rains.readStanding(activityId);
        expect(await rains.close(activityId, again, await rains.window())).toBe(ending);
        expect(await rains.readStanding(activityId)).toMatchObject({
          endedAtMs,
          status: 'closed',
          packetsLeft: 1,
        });
      }
    },
  );

  it('records when grabs were finally refused, by the clock of the server', async () => {
    const window = await rains.window();
    const activityId = await rains.rain(packetsUpTo(1), window);
    expect((await rains.readStanding(activityId)).endedAtMs).toBeUndefined();
    const before = await rains.nowMs();
    await rains.close(activityId, 'any-time', window);
    const { endedAtMs } = await rains.readStanding(activityId);
    expect(endedAtMs).toBeGreaterThanOrEqual(before);
    expect(endedAtMs).toBeLessThanOrEqual(await rains.nowMs());
  });

  it('takes no packet away: holders are still answered with their packet', async () => {
    const window = await rains.window();
    const activityId = await rains.rain(packetsUpTo(1), window);
    const [won] = await rains.draw(activityId, 'ann');
    await rains.close(activityId, 'any-time', window);
    await rains.tidyUp(activityId, 1);

    expect(won?.kind).toBe('won');
    expect(await rains.draw(activityId, 'ann', 'bob')).toMatchObject([
      { kind: 'already', packet: { no: 1, amountMinor: 100n } },
      { kind: 'closed' },
    ]);
  });

  it('uses the clock of the server for "after-closing"', async () => {
    const [long, short] = [await rains.window(), await rains.window(-1_000, 100)];
    const closing = async (window: typeof long) => {
      const activityId = await rains.rain(packetsUpTo(1), window);
      return () => rains.close(activityId, 'after-closing', window);
    };
    expect(await (await closing(long))()).toBeUndefined();
    await waitFor(await closing(short), { what: 'the window to end' });
    expect(await rains.nowMs()).toBeGreaterThanOrEqual(short.closesAtMs);
  });
});

describe('a close of an activity that Redis does not know completely', () => {
  async function closed(begin: (activityId: string) => Promise<unknown>): Promise<string> {
    const window = await rains.window();
    const activityId = rains.newActivity();
    await begin(activityId);
    await rains.close(activityId, 'any-time', window);
    return activityId;
  }
  const learn = (activityId: string) =>
    rains.loadClaims(activityId, [{ activityId, userId: 'ann', packet: { no: 1, amountMinor: 100n } }]);

  it.each<[string, (activityId: string) => Promise<unknown>]>([
    ['nothing at all', () => Promise.resolve()],
    ['half of it', async (activityId) => rains.begin(activityId, await rains.window())],
  ])('does not answer "closed" before all claims are written: Redis knew %s', async (_, begin) => {
    const activityId = await closed(begin);
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);

    await learn(activityId);
    await rains.tidyUp(activityId, 1);
    expect(await rains.draw(activityId, 'ann', 'bob')).toMatchObject([
      { kind: 'already', packet: { no: 1 } },
      { kind: 'closed' },
    ]);
  });

  it.each([
    ['', false],
    [', even if somebody closes it once more', true],
  ])('leaves the activity unknown if Redis forgets everything before the last step%s', async (_, again) => {
    const activityId = await closed(() => Promise.resolve());
    await learn(activityId);
    await rains.redis.flushall();
    if (again) await rains.close(activityId, 'any-time', await rains.window());
    await rains.tidyUp(activityId, 1);
    expect(await rains.draw(activityId, 'ann')).toEqual([{ kind: 'not-loaded' }]);
  });
});
