import { setImmediate as turn } from 'node:timers/promises';
import { Metrics } from '../../../platform/telemetry';
import { MissingActivities } from './missing-activities';

/** Loads that end when the test ends them. */
class Loads {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, (error?: Error) => void>();

  readonly load = (activityId: string): Promise<void> => {
    this.begun.push(activityId);
    return new Promise((resolve, reject) => {
      this.ends.set(activityId, (error) => (error ? reject(error) : resolve()));
    });
  };

  end(activityId: string, error?: Error): void {
    this.ends.get(activityId)!(error);
  }
}

let loads: Loads;
let missing: MissingActivities;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  loads = new Loads();
  missing = new MissingActivities(new Metrics());
  missing.loadBy(loads.load, 2);
});

afterEach(() => jest.useRealTimers());

describe('requested activities that are missing in Redis', () => {
  it('a requested activity is loaded once for all callers, and all waiting callers are notified', async () => {
    const answers = Array.from({ length: 100 }, () => missing.loadSoon('7'));
    await turn();
    expect(loads.begun).toEqual(['7']);
    loads.end('7');
    expect(new Set(await Promise.all(answers))).toEqual(new Set([true]));
  });

  it('requested activities are loaded few at a time, in the order of the requests', async () => {
    for (const id of ['3', '1', '2', '4']) void missing.loadSoon(id);
    await turn();
    expect(loads.begun).toEqual(['3', '1']);
    loads.end('1');
    await turn();
    expect(loads.begun).toEqual(['3', '1', '2']);
  });

  it('a request waits only a moment for an activity, while the load continues', async () => {
    const answer = missing.loadSoon('7');
    await turn();
    jest.advanceTimersByTime(500);
    expect(await answer).toBe(false);
    const later = missing.arrives('7');
    loads.end('7');
    expect(await later).toBe(true);
    expect(loads.begun).toEqual(['7']);
  });

  it('a failed load is not repeated for a second, however many callers ask', async () => {
    const answer = missing.loadSoon('7');
    await turn();
    loads.end('7', new Error('Redis is full'));
    expect(await answer).toBe(false);

    expect(await Promise.all(Array.from({ length: 100 }, () => missing.loadSoon('7')))).not.toContain(true);
    expect(loads.begun).toEqual(['7']);
    jest.advanceTimersByTime(1_000);
    void missing.loadSoon('7');
    await turn();
    expect(loads.begun).toEqual(['7', '7']);
  });

  it('the line of requested activities has a bounded length', async () => {
    for (let id = 1; id <= 2_000; id++) void missing.loadSoon(String(id));
    await turn();
    expect(await missing.loadSoon('2000')).toBe(false);
    expect(loads.begun).toEqual(['1', '2']);
  });

  it('a process that ends finishes the loads in progress and leaves the others to other processes', async () => {
    const answers = ['1', '2', '3'].map((id) => missing.loadSoon(id));
    await turn();
    const ended = missing.beforeApplicationShutdown();
    loads.end('1');
    loads.end('2');
    await ended;
    expect(await Promise.all(answers)).toEqual([true, true, false]);
    expect(loads.begun).toEqual(['1', '2']);
  });
});
