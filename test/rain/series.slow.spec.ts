import { createHash } from 'node:crypto';
import type { Caller } from '../harness/client';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';

/** Other kills at other moments: `SERIES_SEED=mine`. */
const SEED = process.env.SERIES_SEED ?? 'fridays';

const OCCURRENCES = 30;
const HOUR_MS = 3_600_000;
const SPONSOR = 'killed-series';

/** Thirty starts of a program, on a machine that is busy. */
const WITHIN_MS = 1_500_000;

/** A whole number below this bound, which follows from the seed and a name. */
function chance(name: string, below: number): number {
  return createHash('sha256').update(`${SEED}/${name}`).digest().readUInt32BE() % below;
}

type Process = Awaited<ReturnType<Installation['startAnother']>>;

describe(`a series whose API processes are killed at random moments (seed ${SEED})`, () => {
  let rain: Installation;
  let processes: Process[];

  beforeAll(async () => {
    rain = await Installation.startWithWorker({ SWEEP_INTERVAL_MS: '200' });
    processes = [{ program: rain.api, url: rain.url }, await rain.startAnother('main.js')];
  });

  afterAll(() => rain.stop());

  const operator = (): Caller => rain.operator('operator', processes[0]!.url);

  const insist = async (path: string, body?: object) => {
    const answer = await operator().post(path, body);
    expect({ path, status: answer.status < 300, body: answer.body }).toMatchObject({ status: true });
    return answer.body;
  };

  const decided = async (id: string): Promise<number> => {
    const series = await rain.row<{ decided: number }>('select decided from series where id = $1', [id]);
    return series.decided;
  };

  /** Time goes by until the next occurrence has begun. */
  const begin = (id: string) =>
    rain.sql(
      `with moved as (select next_opens_at - now() + interval '30 minutes' as by from series where id = $1)
       update series set start = to_char(start::timestamp - by, 'YYYY-MM-DD"T"HH24:MI:SS'),
                         next_opens_at = next_opens_at - by, look_at = now() - interval '1 second'
         from moved where id = $1`,
      [id],
    );

  /** Kills a process at a moment of this day, and starts another in its place. */
  async function kill(id: string, day: number, nth: number): Promise<boolean> {
    await new Promise((over) => setTimeout(over, chance(`delay ${day} ${nth}`, 400)));
    const { program } = processes[nth]!;
    process.kill(program.pid, 'SIGKILL');
    const hasStruck = (await decided(id)) === day;
    await program.ended;
    processes[nth] = await rain.startAnother('main.js');
    return hasStruck;
  }

  it(
    'has each of thirty occurrences once, or missed with its reason, and books that agree',
    async () => {
      await insist(`/v1/wallets/${SPONSOR}/deposits`, { amount: '100.00' });
      const { id } = await insist('/v1/series', {
        ...{ name: 'Killed', sponsorId: SPONSOR, totalAmount: '1.00', packetCount: 2 },
        ...{ split: { kind: 'random' }, rrule: 'FREQ=DAILY', timeZone: 'UTC', count: OCCURRENCES },
        start: new Date(Date.now() + 2 * HOUR_MS).toISOString().slice(0, 19),
        ...{ durationSeconds: 3_600, createAheadHours: 0 },
      });
      const expected: string[] = [];
      let struck = 0;
      for (let day = 0; day < OCCURRENCES; day += 1) {
        const isFrozen = chance(`frozen ${day}`, 4) === 0;
        if (isFrozen) await insist(`/v1/wallets/${SPONSOR}/freeze`);
        await begin(id);
        const killed = chance(`both ${day}`, 3) === 0 ? [0, 1] : [chance(`one ${day}`, 2)];
        const strikes = await Promise.all(killed.map((nth) => kill(id, day, nth)));
        if (strikes.some(Boolean)) struck += 1;
        await waitFor(async () => (await decided(id)) > day, { what: `occurrence ${day + 1}` });
        if (isFrozen) await insist(`/v1/wallets/${SPONSOR}/unfreeze`);
        expected.push(isFrozen ? 'wallet-frozen' : 'created');
      }
      const rows = await rain.sql<{ no: number; activity: string | null; reason: string | null }>(
        'select no, activity_id as activity, reason from series_occurrence where series_id = $1 order by no',
        [id],
      );
      expect(rows.map(({ no }) => no)).toEqual(Array.from({ length: OCCURRENCES }, (_, i) => i + 1));
      expect(rows.map(({ reason }) => reason ?? 'created')).toEqual(expected);
      const created = rows.flatMap(({ activity }) => activity ?? []);
      const activities = await rain.sql<{ id: string }>(
        'select id from activity where sponsor_id = $1 order by id',
        [SPONSOR],
      );
      expect(activities.map((one) => one.id)).toEqual(created);
      const { balance } = (await operator().get(`/v1/wallets/${SPONSOR}`)).body;
      expect(balance).toBe(`${100 - created.length}.00`);
      expect((await operator().get(`/v1/series/${id}`)).body).toMatchObject({ status: 'ended', decided: 30 });
      await rain.verify();
      // Otherwise the kills came too late to show anything.
      expect(struck).toBeGreaterThan(OCCURRENCES / 6);
    },
    WITHIN_MS,
  );
});
