import { en, type Words } from './en';

/** The texts in the current language of the console. They are read again each time a page is drawn. */
export let words: Words = en;

export function chooseWords(chosen: Words): void {
  words = chosen;
}
