import { SeriesService } from '../../src/extensions/series/series.service';
import { SeriesSweep } from '../../src/extensions/series/series-sweep';
import type { SeriesBody } from '../../src/extensions/series/series.dto';
import { WorkerPresence } from '../../src/core/dispenser';
import { requestOf } from '../harness/books';
import type { Graph } from '../harness/graph';
import { books, expectProven, rain } from '../harness/shared-books';
import { clock, shareSteppedRain, steppedRain, test } from '../harness/stepped-rain';

const HOUR_MS = 3_600_000;
const AHEAD_MS = HOUR_MS;

let apis: Graph[];
let serial = 0;

/** Both engines have the clock, because the sweep believes the earlier of their times. */
shareSteppedRain((clock) => steppedRain(clock, { redisToo: true }));

beforeAll(async () => {
  if (clock) apis = [await rain.openApi(), await rain.openApi()];
});

afterEach(async () => {
  if (clock) await expectProven();
});

/** Days around a night in which clocks change. */
interface Night {
  readonly timeZone: string;
  readonly start: string;
  readonly rrule?: string;
  /** In UTC, to the minute. */
  readonly opens: readonly string[];
}

/** 02:30 does not exist on 30 March, and exists twice on 26 October. */
const BERLIN: Readonly<Record<'forward' | 'back', Night>> = {
  forward: {
    timeZone: 'Europe/Berlin',
    start: '2031-03-29T02:30:00',
    opens: ['2031-03-29T01:30', '2031-03-31T00:30', '2031-04-01T00:30'],
  },
  back: {
    timeZone: 'Europe/Berlin',
    start: '2031-10-25T02:30:00',
    opens: ['2031-10-25T00:30', '2031-10-26T00:30', '2031-10-27T01:30'],
  },
};

const NIGHTS: readonly (readonly [string, Night])[] = [
  ['at a time that the clocks of Berlin skip', BERLIN.forward],
  ['at a time that exists twice in Berlin', BERLIN.back],
  [
    'at each hour around the hour that the clocks of Berlin skip',
    {
      timeZone: 'Europe/Berlin',
      start: '2031-03-30T01:30:00',
      rrule: 'FREQ=DAILY;BYHOUR=1,2,3',
      opens: ['2031-03-30T00:30', '2031-03-30T01:30', '2031-03-30T23:30', '2031-03-31T00:30'],
    },
  ],
  [
    'at each hour around the hour that exists twice in Berlin',
    {
      timeZone: 'Europe/Berlin',
      start: '2031-10-26T01:30:00',
      rrule: 'FREQ=DAILY;BYHOUR=1,2,3',
      opens: ['2031-10-25T23:30', '2031-10-26T00:30', '2031-10-26T02:30', '2031-10-27T00:30'],
    },
  ],
  [
    'at a time that the clocks of New York skip',
    {
      timeZone: 'America/New_York',
      start: '2031-03-08T02:30:00',
      opens: ['2031-03-08T07:30', '2031-03-10T06:30', '2031-03-11T06:30'],
    },
  ],
  [
    'at a time that exists twice in New York',
    {
      timeZone: 'America/New_York',
      start: '2031-11-01T01:30:00',
      opens: ['2031-11-01T05:30', '2031-11-02T05:30', '2031-11-03T06:30'],
    },
  ],
  [
    'at a time that the clocks of Sydney skip in October',
    {
      timeZone: 'Australia/Sydney',
      start: '2031-10-04T02:30:00',
      opens: ['2031-10-03T16:30', '2031-10-05T15:30', '2031-10-06T15:30'],
    },
  ],
  [
    'at a time that exists twice in Sydney in April',
    {
      timeZone: 'Australia/Sydney',
      start: '2032-04-03T02:30:00',
      opens: ['2032-04-02T15:30', '2032-04-03T15:30', '2032-04-04T16:30'],
    },
  ],
  [
    'in Shanghai, where clocks do not change, on the night of Berlin',
    {
      timeZone: 'Asia/Shanghai',
      start: '2031-03-29T02:30:00',
      opens: ['2031-03-28T18:30', '2031-03-29T18:30', '2031-03-30T18:30'],
    },
  ],
];

const msOf = (minute: string): number => Date.parse(`${minute}Z`);
const minuteOf = (instant: string): string => instant.slice(0, 16);

/** Hours that begin well before the first occurrence is created, and end after the last one is over. */
function hoursOf({ opens }: Night): number[] {
  const [from, to] = [msOf(opens[0]!) - 2.5 * HOUR_MS, msOf(opens.at(-1)!) + 2.5 * HOUR_MS];
  return Array.from({ length: (to - from) / HOUR_MS + 1 }, (_, hour) => from + hour * HOUR_MS);
}

const bodyOf = ({ timeZone, start, opens, rrule = 'FREQ=DAILY' }: Night): SeriesBody => ({
  name: 'Night rain',
  sponsorId: `sponsor-${(serial += 1)}`,
  totalAmount: '1.00',
  packetCount: 2,
  split: { kind: 'equal' },
  ...{ rrule, timeZone, start, count: opens.length },
  durationSeconds: HOUR_MS / 1_000,
  createAheadHours: AHEAD_MS / HOUR_MS,
});

const service = () => apis[0]!.get(SeriesService);
const marketing = () => requestOf('marketing', 'campaign');

const goTo = (ms: number): void => clock!.set(ms - Date.now());

/** Creates a series before the first hour, with money for all of it. */
async function create(night: Night): Promise<{ id: string; body: SeriesBody }> {
  goTo(hoursOf(night)[0]! - HOUR_MS);
  const body = bodyOf(night);
  await books.deposit(body.sponsorId!, BigInt(night.opens.length) * 100n);
  const { id } = await service().create(marketing(), body);
  return { id, body };
}

/** Two programs sweep at this time. */
async function sweepAt(ms: number): Promise<void> {
  goTo(ms);
  await rain.worker.get(WorkerPresence).sign();
  const { signal } = new AbortController();
  await Promise.all(apis.map((api) => api.get(SeriesSweep).sweep(signal)));
}

/** The opening and the result of each occurrence, oldest first. */
async function resultsOf(id: string): Promise<string[]> {
  const { items } = await service().listOccurrences(id, { limit: 100 });
  return items
    .map(({ opensAt, status, missed }) => `${minuteOf(opensAt)} ${missed?.reason ?? status}`)
    .reverse();
}

const listed = (opens: readonly string[], result: string): string[] =>
  opens.map((minute) => `${minute} ${result}`);

/** Proves that a sponsor has exactly these activities, which have taken all the money. */
async function expectActivities({ sponsorId }: SeriesBody, opens: readonly string[]): Promise<void> {
  const rows = await books.dataSource.query<{ opensAt: Date; closesAt: Date }[]>(
    `select opens_at as "opensAt", closes_at as "closesAt" from activity where sponsor_id = $1 order by opens_at`,
    [sponsorId],
  );
  expect(rows.map(({ opensAt }) => minuteOf(opensAt.toISOString()))).toEqual(opens);
  for (const { opensAt, closesAt } of rows) expect(Number(closesAt) - Number(opensAt)).toBe(HOUR_MS);
  expect((await books.wallets.read(sponsorId!, {})).balance).toBe('0.00');
}

describe('while the clocks of a time zone change, a series', () => {
  for (const [what, night] of NIGHTS)
    test(`${what} creates each occurrence once, an hour before its instant, as its preview said`, async () => {
      const { id, body } = await create(night);
      const { occurrences } = await service().preview(body);
      expect(occurrences.map(({ opensAt }) => minuteOf(opensAt))).toEqual(night.opens);
      for (const hourMs of hoursOf(night)) {
        await sweepAt(hourMs);
        const due = night.opens.filter((minute) => msOf(minute) - AHEAD_MS <= hourMs);
        expect(await resultsOf(id)).toEqual(listed(due, 'created'));
      }
      await expectActivities(body, night.opens);
      expect(await service().read(id)).toMatchObject({ status: 'ended', decided: night.opens.length });
    });

  for (const [direction, night] of Object.entries(BERLIN)) {
    test(`that is paused lists each occurrence as missed, once, when it opens: ${direction}`, async () => {
      const { id } = await create(night);
      await service().pause(marketing(), id);
      for (const hourMs of hoursOf(night)) {
        await sweepAt(hourMs);
        const over = night.opens.filter((minute) => msOf(minute) <= hourMs);
        expect(await resultsOf(id)).toEqual(listed(over, 'paused'));
      }
    });

    test(`that no program sweeps lists each occurrence as late, once: ${direction}`, async () => {
      const { id } = await create(night);
      await sweepAt(hoursOf(night).at(-1)!);
      expect(await resultsOf(id)).toEqual(listed(night.opens, 'late'));
    });

    test(`creates each occurrence once, even if someone sets the clocks of the hosts too: ${direction}`, async () => {
      const { id, body } = await create(night);
      for (const hourMs of hoursOf(night))
        for (const setByMs of [0, HOUR_MS, -HOUR_MS]) await sweepAt(hourMs + setByMs);
      expect(await resultsOf(id)).toEqual(listed(night.opens, 'created'));
      await expectActivities(body, night.opens);
    });
  }
});
