import { Lines } from './in-turn.interceptor';

describe('the queue of a user', () => {
  it('runs the requests of a user one at a time, and lets other users in between', async () => {
    const lines = new Lines();
    const done: string[] = [];
    const work = (name: string) => lines.inTurn('ann', () => Promise.resolve(void done.push(name)));
    const works = [work('first'), work('second')];
    setImmediate(() => done.push('of another'));
    await Promise.all(works);
    expect(done).toEqual(['first', 'of another', 'second']);
  });

  it('lets a later request wait for all before it, even if the first has failed', async () => {
    const lines = new Lines();
    const done: string[] = [];
    const work = (name: string) => lines.inTurn('ann', () => Promise.resolve(void done.push(name)));
    const failed = lines.inTurn('ann', () => Promise.reject(new Error('It fails.')));
    const second = work('second');
    await expect(failed).rejects.toThrow('It fails.');
    await Promise.all([work('third'), second]);
    expect(done).toEqual(['second', 'third']);
  });

  it('remembers no user whose requests are done', async () => {
    const lines = new Lines();
    await lines.inTurn('ann', () => Promise.resolve());
    expect(lines['lines'].size).toBe(0);
  });
});
