import { DeadlineExceeded, within } from '.';

describe('within', () => {
  it('passes on a result or an error that comes in time', async () => {
    await expect(within(1_000, Promise.resolve(7))).resolves.toBe(7);
    await expect(within(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('gives up on work that never ends, and swallows the failure of work that ends too late', async () => {
    let fail!: (error: Error) => void;
    const work = new Promise<void>((_, reject) => (fail = reject));
    await expect(within(1, work)).rejects.toThrow(DeadlineExceeded);
    fail(new Error('too late to matter'));
  });
});
