import { DeadlineExceeded, stopwatch, within } from '.';

describe('a deadline', () => {
  it('a result or an error that arrives in time is passed on', async () => {
    await expect(within(1_000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('work that never ends is abandoned, and a failure that arrives too late is swallowed', async () => {
    let fail!: (error: Error) => void;
    const work = new Promise<void>((_, reject) => (fail = reject));
    await expect(within(1, work)).rejects.toThrow(DeadlineExceeded);
    fail(new Error('too late to matter'));
  });
});

describe('a stopwatch', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['Date', 'a machine that was suspended'],
    ['performance', 'a wall clock that was set back'],
  ] as const)('advances by %s after %s', (clock, _) => {
    const passedMs = stopwatch();
    const laterMs = (clock === 'Date' ? Date.now() : performance.now()) + 60_000;
    jest.spyOn(clock === 'Date' ? Date : performance, 'now').mockReturnValue(laterMs);
    if (clock === 'performance') jest.spyOn(Date, 'now').mockReturnValue(0);
    expect(passedMs()).toBeGreaterThanOrEqual(59_000);
  });
});
