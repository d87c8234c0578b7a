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
});
