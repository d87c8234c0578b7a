import type { Problem } from '../../libs/problem';
import { ShardJournals } from '../../libs/redis-scripts';
import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import type { GrabOutcome } from '../../src/core/grab/tap/grab-outcome';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { LastPackets } from '../../src/core/grab/tap/last-packets';
import type { ActivityWish } from '../harness/books';
import type { Graph } from '../harness/graph';
import { dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

let api: Graph;

proveBooks();
shareRain();

beforeAll(async () => {
  api = await rain.openApi();
  await rain.trust(api);
});

const open = (sponsorId: string, wish: Partial<ActivityWish> = {}) =>
  rain.openRain({ packets: 3, sponsorId, limits: { perUser: 1 }, ...wish });

/** A user wins a packet, and the win is on record. */
async function win(id: string, userId: string): Promise<void> {
  const outcome = await api.get(GrabService).grab(id, userId, { hold: false, mayLimit: true });
  expect(outcome.kind).toBe('won');
  await api.get(ConfirmService).beforeApplicationShutdown();
}

describe('a user who finds no packet of a rain with limits', () => {
  const SOLD_OUT: GrabOutcome = { kind: 'sold-out' };

  /** Taps while others are always faster. Returns the answer and the number of draws. */
  async function tapTooLate(id: string): Promise<readonly [answer: object, draws: number]> {
    let draws = 0;
    const draw = () => Promise.resolve(SOLD_OUT).finally(() => draws++);
    const answer = await api
      .get(LastPackets)
      .grabAgain(id, draw)
      .catch(({ code, detail, retryAfterSeconds }: Problem) => ({ code, detail, retryAfterSeconds }));
    return [answer, draws];
  }

  const comeBack = (detail: string): object => ({ code: 'grab.unavailable', detail, retryAfterSeconds: 1 });
  const GIVEN_AWAY = comeBack('The last packets are being given away; try again.');

  it('draws 16 times while packets are free, and is then asked to come back in a second', async () =>
    expect(await tapTooLate(await open('faster'))).toEqual([GIVEN_AWAY, 16]));

  it('is asked to come back, without another draw, while a packet is undecided in any part', async () => {
    await win(await open('a-part'), 'ann');
    const id = await open('a-part', { packets: 2, parts: 2 });
    await win(id, 'bob');
    for (const { shard } of dispensing.keys.placesOf({ id, parts: 2 }))
      await dispensing.reservations.drawFromParts(shard, [{ activityId: id, parts: 2, userIds: ['ann'] }]);
    expect(await tapTooLate(id)).toEqual([GIVEN_AWAY, 0]);
    await rain.recover();
  });

  it('is answered "sold-out", without another draw, if others wait for all packets that are free', async () => {
    const id = await open('spoken-for', { packets: 1 });
    await win(id, 'bob');
    for (const user of ['cem', 'dan']) await dispensing.waitingLists.join(id, user);
    await rain.topUp(id, { packets: 1 });
    expect(await tapTooLate(id)).toEqual([SOLD_OUT, 0]);
  });

  it('is asked to come back in a second if Redis does not answer whether packets may come back', async () => {
    const id = await open('unsaid', { packets: 1 });
    const search = jest.spyOn(api.get(ShardJournals), 'doubts');
    search.mockRejectedValueOnce(new Error('Redis is away'));
    const undecided = comeBack('Whether the last packets are taken is not decided yet; tap again.');
    expect(await tapTooLate(id)).toEqual([undecided, 0]);
    search.mockRestore();
  });

  it('shares the search for packets with all others: there are at most ten searches a second', async () => {
    const id = await open('losers', { packets: 1 });
    await win(id, 'bob');
    const search = jest.spyOn(api.get(ShardJournals), 'doubts');
    const crowd = Array.from({ length: 100 }, () => tapTooLate(id));
    expect(await Promise.all(crowd)).toEqual(crowd.map(() => [SOLD_OUT, 0]));
    expect(search).toHaveBeenCalledTimes(1);
    const sinceMs = performance.now();
    for (let i = 0; i < 100; i++) await tapTooLate(id);
    expect(search.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - sinceMs) / 100);
    search.mockRestore();
  });
});
