import { HeldUpActivities } from './held-up-activities';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('activities that are held up', () => {
  it('a held-up activity is remembered for five seconds after the last time', () => {
    const heldUp = new HeldUpActivities();
    heldUp.add('1');
    jest.advanceTimersByTime(4_000);
    heldUp.add('1');
    jest.advanceTimersByTime(4_000);
    expect(heldUp.has('1')).toBe(true);
    jest.advanceTimersByTime(1_001);
    expect(heldUp.has('1')).toBe(false);
  });

  it('a held-up activity does not take memory after five seconds, even without another request for it', () => {
    const heldUp = new HeldUpActivities();
    heldUp.add('1');
    heldUp.add('2');
    jest.advanceTimersByTime(3_000);
    heldUp.add('1');
    jest.advanceTimersByTime(3_000);
    heldUp.add('3');
    expect([...heldUp['until'].keys()]).toEqual(['1', '3']);
  });
});
