import { ConfirmService } from '../../src/core/grab/confirm/confirm.service';
import { GrabService } from '../../src/core/grab/tap/grab.service';
import { waitFor } from '../harness/engines';
import type { Graph } from '../harness/graph';
import { codeOf } from '../harness/problems';
import { books, dispensing, proveBooks, rain, shareRain } from '../harness/shared-books';

const PACKETS = 6;
const KEYS = [
  'gate',
  'state',
  'packets',
  'claims',
  'waitlist',
  'sentOn',
  'journal',
  'waiting',
  'trust',
  'quarantine',
] as const;
type Key = (typeof KEYS)[number];

const HARMS = {
  deleted: async (key: string) => void (await dispensing.redis.unlink(key)),
  'of another type': async (key: string) => {
    await dispensing.redis.unlink(key);
    // A gate is a string, so its other type is a list.
    if (key.endsWith(':gate')) await dispensing.redis.rpush(key, 'written', 'by', 'hand');
    else await dispensing.redis.set(key, 'written by hand');
  },
};

const CASES = KEYS.flatMap((key) =>
  Object.entries(HARMS).map(([harm, harmKey]) => [key, harm, harmKey] as const),
);

let api: Graph;
let rains = 0;

proveBooks();
shareRain();

beforeAll(async () => {
  api = await rain.openApi();
  await settle();
});

afterEach(() => api.get(ConfirmService).beforeApplicationShutdown());

/** Repeats the tasks of workers until Redis is trusted. */
async function settle(): Promise<void> {
  await rain.journal.sweep(0);
  await rain.sweep();
  await rain.trust(api);
}

const answerOf = async (id: string, userId: string): Promise<string> => {
  let kind = '';
  const code = await codeOf(
    api
      .get(GrabService)
      .grab(id, userId)
      .then((outcome) => (kind = outcome.kind)),
  );
  return code === 'done' ? kind : code;
};

function nameOf(id: string, key: Key): string {
  const shard = dispensing.keys.shardOf(id);
  if (key === 'journal' || key === 'waiting' || key === 'trust' || key === 'quarantine')
    return dispensing.keys[key](shard);
  return dispensing.keys.activity(id)[key];
}

/** Opens a rain in which ann and bob have won two packets. */
async function openWithWinners(): Promise<string> {
  const id = await rain.openRain({ packets: PACKETS, sponsorId: `sponsor-${(rains += 1)}` });
  for (const user of ['ann', 'bob']) expect(await answerOf(id, user)).toBe('won');
  await api.get(ConfirmService).beforeApplicationShutdown();
  return id;
}

const UNAVAILABLE = ['activity.loading', 'grab.unavailable'];

async function untilAnswered(id: string, userId: string): Promise<string> {
  let answer = '';
  await waitFor(
    async () => {
      answer = await answerOf(id, userId);
      if (UNAVAILABLE.includes(answer)) await settle();
      return !UNAVAILABLE.includes(answer);
    },
    { what: `an answer to ${userId}` },
  );
  return answer;
}

/** After the end, a process that has just seen a complete rain believes that for another 100 ms. */
const seesItsPacket = (id: string, userId: string): Promise<boolean> =>
  waitFor(async () => (await untilAnswered(id, userId)) === 'already', { what: `the packet of ${userId}` });

describe('the key of a rain', () => {
  it.each(CASES)(
    '%s that is %s never leads to "sold-out" while packets are free, is restored, and the rain closes',
    async (key, _, harm) => {
      const id = await openWithWinners();
      await harm(nameOf(id, key));
      const first = await Promise.all(['cem', 'dan', 'eve'].map((user) => answerOf(id, user)));
      expect(['won', 'already', ...UNAVAILABLE]).toEqual(expect.arrayContaining(first));
      await settle();
      for (const user of ['cem', 'dan', 'eve', 'fay'])
        expect(['won', 'already']).toContain(await untilAnswered(id, user));
      expect(await untilAnswered(id, 'gil')).toBe('sold-out');
      expect(await untilAnswered(id, 'ann')).toBe('already');
      await harm(nameOf(id, key));
      expect(['sold-out', ...UNAVAILABLE]).toContain(await answerOf(id, 'gil'));
      await waitFor(async () => rain.end(id).catch(() => settle().then(() => false)), { what: 'the end' });
      expect((await books.activities.findActivity(id))!.status).toBe('closed');
      await settle();
      await harm(nameOf(id, key));
      await seesItsPacket(id, 'ann');
      expect(await untilAnswered(id, 'gil')).toBe('closed');
    },
  );

  it('claims that is deleted after the end gets its claims back, and winners are still answered with their packet', async () => {
    const id = await openWithWinners();
    expect(await rain.end(id)).toBe(true);
    await rain.sweep();
    const { claims } = dispensing.keys.activity(id);
    expect(await dispensing.redis.hlen(claims)).toBe(2);
    await dispensing.redis.unlink(claims);
    await seesItsPacket(id, 'ann');
    await rain.sweep();
    expect(await dispensing.redis.hlen(claims)).toBe(2);
  });
});
