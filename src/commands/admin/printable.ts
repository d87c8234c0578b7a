/** Characters that move the cursor of a terminal, turn the direction of its line, or cannot be seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Shows text of others, so that two names that differ also look different. */
export const printable = (text: string): string => text.replace(UNSEEN, '?');

/**
 * JSON of the same value that a terminal shows unchanged. Lines are broken only where `stringify` breaks
 * them.
 */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSEEN, (character) =>
    character === '\n' ? character : character.split('').map(escaped).join(''),
  );

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
