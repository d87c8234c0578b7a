import { interleave } from './measure';

function counter(name: string) {
  let runs = 0;
  return { name, run: () => Promise.resolve({ before: runs++ }) };
}

describe('interleaved variants', () => {
  it('omit the first round, which warms up', async () => {
    const figures = await interleave([counter('a'), counter('b')], 2);
    expect(figures).toEqual({ a: { before: [1, 2] }, b: { before: [1, 2] } });
  });

  it('keep the first round when it is the only one, so that a tiny run has figures', async () => {
    expect(await interleave([counter('a')], 0)).toEqual({ a: { before: [0] } });
  });
});
