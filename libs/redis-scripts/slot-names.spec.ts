import { keySlot, SLOT_COUNT } from './key-slot';
import { nameInSlot } from './slot-names';

describe('a name in a slot', () => {
  it.each(['', '7-', '1023-', 'probe-', 'a much longer name, with spaces'])(
    '%j has a name in every slot',
    (name) => {
      for (let slot = 0; slot < SLOT_COUNT; slot++) {
        const tag = nameInSlot(slot, name);
        if (keySlot(`rp:{${tag}}:any`) !== slot) throw new Error(`${tag} is not in slot ${slot}`);
        if (!/^[a-z]{4}$/.test(tag.slice(name.length)) || !tag.startsWith(name)) throw new Error(tag);
      }
    },
  );

  it('every process finds the same name', () => {
    expect(nameInSlot(8191, '7-')).toBe('7-kleb');
  });
});
