import { Slots } from '.';

const full = () => new Error('full');

describe('slots', () => {
  it('slots are limited in number, and work is refused while none is free', async () => {
    const slots = new Slots(2);
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const first = slots.run(() => finished, full);
    const second = slots.run(() => finished, full);
    await expect(slots.run(() => Promise.resolve(3), full)).rejects.toThrow('full');
    finish();
    await Promise.all([first, second]);
    await expect(slots.run(() => Promise.resolve(4), full)).resolves.toBe(4);
  });

  it('a slot is free again after work that failed', async () => {
    const slots = new Slots(1);
    for (const attempt of ['first', 'second']) {
      const work = () => Promise.reject(new Error(attempt));
      await expect(slots.run(work, full)).rejects.toThrow(attempt);
    }
  });
});
