import { Batcher, type BatcherOptions } from '.';
import { InvariantViolation } from '../invariant';

/** A batcher whose runs end only when the test ends them. A result is the item in capitals. */
function controlled(limits: Partial<BatcherOptions<string, string>> = {}) {
  const runs: { items: string[]; succeed: () => Promise<void>; fail: (error: Error) => Promise<void> }[] = [];
  const batcher = new Batcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items: [...items],
          succeed: () => settle(() => resolve(items.map((item) => item.toUpperCase()))),
          fail: (error) => settle(() => reject(error)),
        });
      }),
    sizeMax: 3,
    concurrencyMax: 1,
    ...limits,
  });
  const submitAll = (items: string) => [...items].map((item) => batcher.submit(item));
  const sent = () => runs.map(({ items }) => items.join(''));
  return { batcher, runs, submitAll, sent };
}

async function settle(action: () => void): Promise<void> {
  action();
  await jest.advanceTimersByTimeAsync(0);
}

const endOfTurn = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['queueMicrotask'] }));
afterEach(() => void jest.useRealTimers());

describe('a batcher', () => {
  it('items of one turn share a batch, and each caller gets its own result', async () => {
    const { batcher, runs, sent } = controlled();
    const first = batcher.submit('a');
    await Promise.resolve();
    const second = batcher.submit('b');
    expect(sent()).toEqual([]);
    await endOfTurn();
    expect(sent()).toEqual(['ab']);
    await runs[0]!.succeed();
    expect(await Promise.all([first, second])).toEqual(['A', 'B']);
  });

  it('a full batch is sent at once, and the rest at the end of the turn', async () => {
    const { submitAll, sent } = controlled({ concurrencyMax: 2 });
    void submitAll('abcd');
    expect(sent()).toEqual(['abc']);
    await endOfTurn();
    expect(sent()).toEqual(['abc', 'd']);
  });

  it('the expected wait is the recent time of the full batches ahead, and zero while there is room', async () => {
    const { batcher, runs, submitAll } = controlled({ concurrencyMax: 2 });
    const run = async (items: string, tookMs: number) => {
      void submitAll(items);
      await endOfTurn();
      await jest.advanceTimersByTimeAsync(tookMs);
      await runs.at(-1)!.succeed();
    };
    expect(batcher.expectedWaitMs).toBe(0);
    for (let i = 0; i < 40; i++) await run('a', 80);
    expect(batcher.expectedWaitMs).toBe(0);
    void submitAll('abcdef');
    expect(batcher.expectedWaitMs).toBe(0);
    void submitAll('ghijklmnopqr');
    expect(batcher.expectedWaitMs).toBeCloseTo(2 * 80, 1);
  });

  it('items that arrive while every slot is taken are kept in order, in batches within the size limit', async () => {
    const { runs, submitAll, sent } = controlled();
    void submitAll('a');
    await endOfTurn();
    void submitAll('bcde');
    await endOfTurn();
    void submitAll('fgh');
    await endOfTurn();
    expect(sent()).toEqual(['a']);
    await runs[0]!.succeed();
    expect(sent()).toEqual(['a', 'bcd']);
    await runs[1]!.succeed();
    await runs[2]!.succeed();
    expect(sent()).toEqual(['a', 'bcd', 'efg', 'h']);
  });

  it('no more batches run at the same time than allowed', async () => {
    const { runs, submitAll, sent } = controlled({ sizeMax: 1, concurrencyMax: 2 });
    void submitAll('abcd');
    expect(sent()).toEqual(['a', 'b']);
    await runs[1]!.succeed();
    expect(sent()).toEqual(['a', 'b', 'c']);
  });

  it('a slot that becomes free does not cut the current turn short', async () => {
    const { runs, submitAll, sent } = controlled();
    const results = submitAll('abcd');
    const turnEnded = runs[0]!.succeed();
    await results[0];
    expect(sent()).toEqual(['abc']);
    void submitAll('e');
    await turnEnded;
    expect(sent()).toEqual(['abc', 'de']);
  });

  it('items that are submitted from within a run are accepted', async () => {
    const inner: Promise<number>[] = [];
    const batcher: Batcher<number, number> = new Batcher({
      run: (items) => {
        if (items[0] === 1) inner.push(batcher.submit(2));
        return Promise.resolve(items);
      },
      sizeMax: 1,
      concurrencyMax: 1,
    });
    await expect(batcher.submit(1)).resolves.toBe(1);
    await expect(inner[0]).resolves.toBe(2);
  });
});

describe('a batcher with linger', () => {
  it('the linger counts from the first waiting item, whatever arrives after it', async () => {
    const { submitAll, sent } = controlled({ lingerMs: 30 });
    void submitAll('a');
    await jest.advanceTimersByTimeAsync(29);
    void submitAll('b');
    expect(sent()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent()).toEqual(['ab']);
  });

  it('a full batch is sent at once, and the next batch lingers for its own time', async () => {
    const { submitAll, sent } = controlled({ lingerMs: 30, concurrencyMax: 2 });
    void submitAll('ab');
    await jest.advanceTimersByTimeAsync(20);
    void submitAll('cd');
    expect(sent()).toEqual(['abc']);
    await jest.advanceTimersByTimeAsync(29);
    expect(sent()).toEqual(['abc']);
    await jest.advanceTimersByTimeAsync(1);
    expect(sent()).toEqual(['abc', 'd']);
  });

  it('a batch that is due keeps gathering while every slot is taken', async () => {
    const { runs, submitAll, sent } = controlled({ lingerMs: 30 });
    void submitAll('abcd');
    await jest.advanceTimersByTimeAsync(50);
    void submitAll('e');
    await runs[0]!.succeed();
    expect(sent()).toEqual(['abc', 'de']);
  });

  it('a batch needs a single timer, not one per item, and leaves no timer running', () => {
    const { submitAll } = controlled({ lingerMs: 30 });
    void submitAll('ab');
    expect(jest.getTimerCount()).toBe(1);
    void submitAll('c');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a batcher whose run fails', () => {
  it('a failed run rejects exactly its own items, and the next batch runs', async () => {
    const { runs, submitAll } = controlled();
    const results = Promise.allSettled(submitAll('abcd'));
    await runs[0]!.fail(new Error('connection lost'));
    await runs[1]!.succeed();
    expect(
      (await results).map((result) => ('value' in result ? result.value : result.reason.message)),
    ).toEqual(['connection lost', 'connection lost', 'connection lost', 'D']);
  });

  it('a run that throws before it returns counts as one that rejects', async () => {
    const batcher = new Batcher<string, string>({
      run: () => {
        throw new Error('no connection');
      },
      sizeMax: 1,
      concurrencyMax: 1,
    });
    await expect(batcher.submit('a')).rejects.toThrow('no connection');
    await expect(batcher.submit('b')).rejects.toThrow('no connection');
  });

  it.each([[['only one']], [['one', 'two', 'three']]])(
    'every item is rejected unless there is one result per item: %p',
    async (answer) => {
      const batcher = new Batcher<string, string>({ run: async () => answer, sizeMax: 2, concurrencyMax: 1 });
      const results = await Promise.allSettled([batcher.submit('a'), batcher.submit('b')]);
      const message = `A batch of 2 items came back with ${answer.length} results.`;
      expect(results.map((result) => 'reason' in result && result.reason.message)).toEqual([
        message,
        message,
      ]);
    },
  );
});

describe('the size of a batcher', () => {
  it('the size counts items that are waiting or in flight, not items that were answered or have failed', async () => {
    const { batcher, runs, submitAll } = controlled();
    const results = submitAll('abcde');
    expect(batcher.size).toBe(5);
    const sizeWhenAnswered = results[0]!.then(() => batcher.size);
    await runs[0]!.succeed();
    expect(await sizeWhenAnswered).toBe(2);
    const failures = Promise.allSettled(results.slice(3));
    await runs[1]!.fail(new Error('x'));
    await failures;
    expect(batcher.size).toBe(0);
  });
});

describe('a drain', () => {
  it('a drain resolves at once if no item is waiting or running', async () => {
    await expect(controlled().batcher.drain()).resolves.toBeUndefined();
  });

  it('a drain sends without lingering and resolves after the last batch, even a failed one', async () => {
    const { batcher, runs, submitAll, sent } = controlled({ lingerMs: 60_000 });
    const results = Promise.allSettled(submitAll('abcd'));
    const drained = jest.fn();
    void batcher.drain().then(drained);
    await runs[0]!.succeed();
    expect(sent()).toEqual(['abc', 'd']);
    expect(drained).not.toHaveBeenCalled();
    await runs[1]!.fail(new Error('x'));
    expect(drained).toHaveBeenCalledTimes(1);
    await results;
  });

  it('a drain also waits for items that arrive in the turn in which the last run ends', async () => {
    const { batcher, runs, submitAll } = controlled();
    const first = submitAll('abc')[0];
    const drained = jest.fn();
    void batcher.drain().then(drained);
    const turnEnded = runs[0]!.succeed();
    void submitAll('d');
    await first;
    await turnEnded;
    expect(drained).not.toHaveBeenCalled();
    await runs[1]!.succeed();
    expect(drained).toHaveBeenCalledTimes(1);
  });

  it('items that arrive during a drain do not linger, and later items linger again', async () => {
    const { batcher, runs, submitAll, sent } = controlled({ lingerMs: 60_000, concurrencyMax: 3 });
    void submitAll('a');
    const drained = batcher.drain();
    void submitAll('b');
    await endOfTurn();
    expect(sent()).toEqual(['a', 'b']);
    await runs[0]!.succeed();
    await runs[1]!.succeed();
    await drained;
    void submitAll('c');
    await endOfTurn();
    expect(sent()).toEqual(['a', 'b']);
  });
});

describe('impossible limits of a batcher', () => {
  it.each([
    { sizeMax: 0 },
    { sizeMax: 1.5 },
    { sizeMax: NaN },
    { concurrencyMax: 0 },
    { concurrencyMax: Infinity },
    { lingerMs: -1 },
    { lingerMs: NaN },
  ])('limits of a batcher are refused: %p', (limits) => {
    expect(() => controlled(limits)).toThrow(InvariantViolation);
  });
});
