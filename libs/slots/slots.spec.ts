import { Slots } from '.';

const full = () => new Error('full');

describe('slots', () => {
  it('slots are limited in number, and work is refused while no slot is free', async () => {
    const slots = new Slots(2);
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const first = slots.run('operator', () => finished, full);
    const second = slots.run('finance', () => finished, full);
    await expect(slots.run('operator', () => Promise.resolve(3), full)).rejects.toThrow('full');
    finish();
    await Promise.all([first, second]);
    await expect(slots.run('operator', () => Promise.resolve(4), full)).resolves.toBe(4);
  });

  it('users together hold half of the slots, and the others are left to staff', async () => {
    const slots = new Slots(2);
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const ofUser = slots.run('user', () => finished, full);
    await expect(slots.run('server', () => finished, full)).rejects.toThrow('full');
    await expect(slots.run('campaign', () => Promise.resolve(2), full)).resolves.toBe(2);
    finish();
    await ofUser;
  });

  it('a slot is free again after its work has failed', async () => {
    const slots = new Slots(2);
    for (const attempt of ['first', 'second', 'third']) {
      const work = () => Promise.reject(new Error(attempt));
      await expect(slots.run('user', work, full)).rejects.toThrow(attempt);
    }
  });
});
