import { HistoryRepository } from '../../src/extensions/history/history.repository';
import { HistoryService } from '../../src/extensions/history/history.service';
import { requestOf } from '../harness/books';
import { books, rain, shareRain } from '../harness/shared-books';

const STEPS_MAX = 720;

shareRain();

afterEach(() => jest.restoreAllMocks());

/** Opens histories whose reads of Postgres take this long by the clock of the process, and counts the reads. */
function openSlow(tookMs: number) {
  let nowMs = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const repository = new HistoryRepository(books.dataSource);
  const money = repository.money.bind(repository);
  const reads = jest.spyOn(repository, 'money').mockImplementation(async (...args) => {
    nowMs += tookMs;
    return money(...args);
  });
  const service = new HistoryService(books.activities, repository, books.currencies);
  const { caller } = requestOf('operator', 'operator');
  const history = (id: string) => service.ofActivity(id, caller);
  const pass = (ms: number) => (nowMs += ms);
  return { history, pass, reads };
}

describe('the history of an activity', () => {
  it('that takes long to read is read for at most a twentieth of the time, however many ask', async () => {
    const id = await books.activity({ packets: 1 });
    const { history, pass, reads } = openSlow(4_000);
    await Promise.all([history(id), history(id)]);
    pass(79_000);
    await history(id);
    expect(reads).toHaveBeenCalledTimes(1);
    pass(2_000);
    await history(id);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('that takes longer to read than an answer is kept is not read again in the meantime', async () => {
    const id = await books.activity({ packets: 1 });
    const { history, reads } = openSlow(60_000);
    const first = history(id);
    while (reads.mock.calls.length === 0) await new Promise(setImmediate);
    await Promise.all([first, history(id)]);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('that could not be read is not tried again at once', async () => {
    const id = await books.activity({ packets: 1 });
    const { history, pass, reads } = openSlow(4_000);
    reads.mockImplementationOnce(() => {
      pass(4_000);
      return Promise.reject(new Error('statement timeout'));
    });
    await expect(history(id)).rejects.toThrow('statement timeout');
    pass(79_000);
    await expect(history(id)).rejects.toThrow('statement timeout');
    pass(2_000);
    expect(await history(id)).toMatchObject({ activityId: id });
  });

  it('has a bounded number of points, although its taps are forgotten before its claims', async () => {
    const count = STEPS_MAX + 10;
    const id = await rain.openRain({ packets: count });
    await rain.grab(id, ...Array.from({ length: count }, (_, i) => `user-${i}`));
    await books.dataSource.query(
      `update claim set confirmed_at = confirmed_at - packet_no * interval '1 minute' where activity_id = $1`,
      [id],
    );
    const { points, total, stepSeconds } = await openSlow(1).history(id);
    expect(total.wins).toBe(count);
    expect(points.length).toBeLessThanOrEqual(STEPS_MAX);
    expect(stepSeconds).toBe(900);
  });
});
