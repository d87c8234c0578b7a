import { en, type Words } from './en';
import { zh } from './zh';

export const WORDS = { en, zh };

/** The texts in the current language of the console. They are read again each time a page is drawn. */
export let words: Words = en;

export function chooseWords(language: keyof typeof WORDS): void {
  words = WORDS[language];
}
