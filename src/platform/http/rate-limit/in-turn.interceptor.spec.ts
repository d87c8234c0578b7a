import { Lines } from './in-turn.interceptor';

describe('the line of a user', () => {
  it('others have their turn between two works of a user, which come one after another', async () => {
    const lines = new Lines();
    const done: string[] = [];
    const work = (name: string) => lines.inTurn('ann', () => Promise.resolve(void done.push(name)));
    const works = [work('first'), work('second')];
    setImmediate(() => done.push('of another'));
    await Promise.all(works);
    expect(done).toEqual(['first', 'of another', 'second']);
  });
});
