import type { DataSource } from 'typeorm';
import { TAP_ANSWERS, type TapAnswer, TapListeners } from '../../src/core/grab';
import { HistoryRepository } from '../../src/extensions/history/history.repository';
import { HistorySweep } from '../../src/extensions/history/history-sweep';
import { TapHistory } from '../../src/extensions/history/tap-history';
import { TapMinuteRepository } from '../../src/extensions/history/tap-minute.repository';
import { MINUTES_MAX, TapMinutes } from '../../src/extensions/history/tap-minutes';
import { AppConfig } from '../../src/platform/config';
import { Metrics } from '../../src/platform/telemetry';
import { books, shareBooks } from '../harness/shared-books';

shareBooks();

/** The history of one API process, which writes to Postgres unless that is away. */
function openProcess(dataSource: Pick<DataSource, 'query'> = books.dataSource) {
  const [listeners, metrics] = [new TapListeners(), new Metrics()];
  const minutes = new TapMinutes(listeners, metrics);
  const history = new TapHistory(minutes, new TapMinuteRepository(dataSource as DataSource));
  const tap = (id: string, answer: TapAnswer, tookMs = 3) => listeners.noteTap(id, answer, tookMs);
  return { tap, write: () => history.write(), metrics };
}

const totals = async (id: string): Promise<Record<TapAnswer, number>> => {
  const steps = await new HistoryRepository(books.dataSource).taps(id, 86_400);
  const sum = (answer: TapAnswer) => steps.reduce((all, { answers }) => all + answers[answer], 0);
  return Object.fromEntries(TAP_ANSWERS.map((answer) => [answer, sum(answer)])) as Record<TapAnswer, number>;
};

const rowsOf = async (id: string): Promise<number> =>
  (await books.dataSource.query<unknown[]>('select from tap_minute where activity_id = $1', [id])).length;

const MINUTE_MS = 60_000;

const move = (id: string, { opensInMs, closesInMs }: { opensInMs: number; closesInMs: number }) =>
  books.dataSource.query(
    `update activity set opens_at = now() + $2 * interval '1 ms', closes_at = now() + $3 * interval '1 ms'
      where id = $1`,
    [id, opensInMs, closesInMs],
  );

describe('the taps of an activity', () => {
  it('are summed over processes and writes, separately for each answer', async () => {
    const id = await books.activity({ packets: 1 });
    const [one, other] = [openProcess(), openProcess()];
    for (const answer of TAP_ANSWERS) one.tap(id, answer);
    other.tap(id, 'won');
    await Promise.all([one.write(), other.write()]);
    one.tap(id, 'limit');
    await one.write();
    await one.write();
    expect(await totals(id)).toEqual({
      ...Object.fromEntries(TAP_ANSWERS.map((answer) => [answer, 1])),
      won: 2,
      limit: 2,
    });
  });

  it('include the times of answered taps, but not of taps that were turned away', async () => {
    const id = await books.activity({ packets: 1 });
    const { tap, write } = openProcess();
    for (const ms of [1, 1, 100]) tap(id, 'sold-out', ms);
    tap(id, 'unavailable', 5_000);
    await write();
    tap(id, 'won', 100);
    await write();
    const steps = await new HistoryRepository(books.dataSource).taps(id, 86_400);
    const counts = steps.map(({ times }) => times.filter((count) => count > 0)).flat();
    expect(counts).toEqual([2, 2]);
  });

  it('wait in memory while Postgres does not take them, and none is lost or counted twice', async () => {
    const id = await books.activity({ packets: 1 });
    let isAway = true;
    const query: DataSource['query'] = (...args) =>
      isAway ? Promise.reject(new Error('away')) : books.dataSource.query(...args);
    const { tap, write } = openProcess({ query });
    for (let i = 0; i < 3; i++) {
      tap(id, 'won');
      await expect(write()).rejects.toThrow('away');
    }
    isAway = false;
    tap(id, 'won');
    await write();
    expect((await totals(id)).won).toBe(4);
  });

  it('of an unknown activity are left out, and so are those beyond a bound, which a metric counts', async () => {
    const id = await books.activity({ packets: 1 });
    const { tap, write, metrics } = openProcess();
    tap(id, 'won');
    for (let i = 1; i < MINUTES_MAX; i++) tap(String(10n ** 12n + BigInt(i)), 'unavailable');
    tap(await books.activity({ packets: 1 }), 'won');
    tap(id, 'won');
    expect(await metrics.expose()).toMatch(/^hongbao_history_taps_uncounted_total 1$/m);
    await write();
    expect((await totals(id)).won).toBe(2);
    const [stray] = await books.dataSource.query<{ count: number }[]>(
      `select count(*)::int as count from tap_minute where activity_id > 10::bigint ^ 12`,
    );
    expect(stray!.count).toBe(0);
  });

  it('wait within the bound, however often Postgres fails while others are tapped', async () => {
    const metrics = new Metrics();
    const minutes = new TapMinutes(new TapListeners(), metrics);
    for (let round = 0; round < 3; round++) {
      const taken = minutes.take();
      for (let i = 0; i < MINUTES_MAX; i++) minutes.noteTap(String(round * MINUTES_MAX + i + 1), 'won', 3);
      minutes.giveBack(taken);
    }
    expect(minutes.take()).toHaveLength(MINUTES_MAX);
    expect(await metrics.expose()).toMatch(
      new RegExp(`^hongbao_history_taps_uncounted_total ${2 * MINUTES_MAX}$`, 'm'),
    );
  });

  it.each([
    ['before the opening', { opensInMs: 62 * MINUTE_MS, closesInMs: 63 * MINUTE_MS }],
    ['after the end', { opensInMs: -63 * MINUTE_MS, closesInMs: -62 * MINUTE_MS }],
  ])('more than an hour %s are left out: they would lengthen every step', async (_, window) => {
    const id = await books.activity({ packets: 1 });
    const { tap, write } = openProcess();
    await move(id, window);
    tap(id, 'closed');
    await write();
    expect(await rowsOf(id)).toBe(0);
    await move(id, { opensInMs: -MINUTE_MS, closesInMs: MINUTE_MS });
  });

  it.each([
    ['before the opening', { opensInMs: 57 * MINUTE_MS, closesInMs: 59 * MINUTE_MS }],
    ['after the end', { opensInMs: -59 * MINUTE_MS, closesInMs: -57 * MINUTE_MS }],
  ])('less than an hour %s are kept', async (_, window) => {
    const id = await books.activity({ packets: 1 });
    const { tap, write } = openProcess();
    await move(id, window);
    tap(id, 'not-open');
    await write();
    expect(await rowsOf(id)).toBe(1);
    await move(id, { opensInMs: -MINUTE_MS, closesInMs: MINUTE_MS });
  });

  it('are deleted when they are old, and when their activity is archived', async () => {
    const [old, archived, kept] = [
      await books.activity({ packets: 1 }),
      await books.activity({ packets: 1 }),
      await books.activity({ packets: 1 }),
    ];
    const { tap, write } = openProcess();
    for (const id of [old, archived, kept]) tap(id, 'won');
    await write();
    const query = books.dataSource.query.bind(books.dataSource);
    await query(`update tap_minute set minute = minute - interval '8 days' where activity_id = $1`, [old]);
    await query(`update activity set archived_at = now() where id = $1`, [archived]);
    const config = Object.assign(new AppConfig(), { HISTORY_KEPT_DAYS: 7 });
    await new HistorySweep(new TapMinuteRepository(books.dataSource), config).sweep(
      new AbortController().signal,
    );
    expect(await Promise.all([old, archived, kept].map(rowsOf))).toEqual([0, 0, 1]);
    await query(`update activity set archived_at = null where id = $1`, [archived]);
  });
});
