import { en, type Words } from './en';
import { zh } from './zh';

export const WORDS = { en, zh };

/** The words of the language that the console speaks. Whatever is drawn reads them anew. */
export let words: Words = en;

export function chooseWords(language: keyof typeof WORDS): void {
  words = WORDS[language];
}
