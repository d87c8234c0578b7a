import { keySlot, SLOT_COUNT } from './key-slot';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Four letters reach every slot; three do not. */
const LENGTH = 4;

/**
 * Returns the name with four letters that lead into the slot if all of it is a hash tag. A CRC is
 * linear: the same letters change the slot in the same way after any name.
 */
export function nameInSlot(slot: number, name: string): string {
  const reached = keySlot(name + '\0'.repeat(LENGTH));
  return name + endings()[reached ^ slot]!;
}

let known: readonly string[] | undefined;

/** Only clusters need the endings, and finding them takes tens of milliseconds. */
function endings(): readonly string[] {
  known ??= findEndings();
  return known;
}

function findEndings(): readonly string[] {
  const found = new Array<string>(SLOT_COUNT);
  let missing = SLOT_COUNT;
  for (let number = 0; missing > 0; number++) {
    const ending = lettersOf(number);
    const slot = keySlot(ending);
    if (found[slot] !== undefined) continue;
    found[slot] = ending;
    missing -= 1;
  }
  return found;
}

function lettersOf(number: number): string {
  let letters = '';
  for (let rest = number; letters.length < LENGTH; rest = Math.floor(rest / LETTERS.length))
    letters += LETTERS[rest % LETTERS.length]!;
  return letters;
}
