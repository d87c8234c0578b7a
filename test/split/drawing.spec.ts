import { Batch, draw, type DrawingRequest, newSeed, NO_COMMIT } from '../../libs/split';

const request = (count: number, total = `${count}.00`): DrawingRequest => ({
  seed: newSeed(),
  firstNo: 8,
  terms: {
    activity: '7',
    batch: '1',
    count: String(count),
    currency: 'CNY',
    kind: 'random',
    previous: NO_COMMIT,
    total,
    v: '2',
  },
});

describe('the drawing of a batch', () => {
  it.each([256, 257, 20_000, 20_001])('%i packets are those of their seed, in any thread', async (count) => {
    const { seed, terms, firstNo } = request(count);
    const { commit, amountsMinor, tree } = draw({ seed, terms, firstNo });
    const batch = new Batch(seed, terms, firstNo);
    expect(commit).toEqual(batch.commit);
    expect(await amountsMinor).toEqual(batch.amounts());
    expect(await tree).toEqual(batch.tree(batch.amounts()));
  });

  it('batches that are drawn together keep their order', async () => {
    const requests = [1_000, 300, 2_000].map((count) => request(count));
    const trees = await Promise.all(requests.map((one) => draw(one).tree));
    expect(trees.map(({ root }) => root)).toEqual(
      requests.map(({ seed, terms, firstNo }) => {
        const batch = new Batch(seed, terms, firstNo);
        return batch.tree(batch.amounts()).root;
      }),
    );
  });

  it('a batch that cannot be drawn fails alone', async () => {
    const [bad, good] = [request(1_000, '0.01'), request(1_000)].map(draw);
    await expect(bad!.amountsMinor).rejects.toThrow('one minor unit for each packet');
    await expect(bad!.tree).rejects.toThrow('one minor unit for each packet');
    expect(await good!.amountsMinor).toHaveLength(1_000);
  });
});
