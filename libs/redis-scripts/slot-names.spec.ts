import { keySlot, SLOT_COUNT } from './key-slot';
import { nameInSlot } from './slot-names';

describe('nameInSlot', () => {
  it.each(['', '7-', '1023-', 'probe-', 'a much longer name, with spaces'])(
    'leads %j into every slot there is',
    (name) => {
      for (let slot = 0; slot < SLOT_COUNT; slot++) {
        const tag = nameInSlot(slot, name);
        if (keySlot(`rp:{${tag}}:any`) !== slot) throw new Error(`${tag} is not in slot ${slot}`);
        if (!/^[a-z]{4}$/.test(tag.slice(name.length)) || !tag.startsWith(name)) throw new Error(tag);
      }
    },
  );

  it('finds the same name again in every process', () => {
    expect(nameInSlot(8191, '7-')).toBe('7-kleb');
  });
});
