import { type Language, speak, tagOf } from '../kit/language';
import { chooseWords } from './words';

let locale = tagOf('en');

export function speakIn(language: Language): void {
  chooseWords(language);
  // A reader of English may want the dates of their own country.
  locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? tagOf(language);
  speak(language);
}

/** A moment in the reader's own time zone. */
export const momentText = (at: string | number | Date, options?: Intl.DateTimeFormatOptions): string =>
  new Date(at).toLocaleString(locale, options ?? { dateStyle: 'medium', timeStyle: 'medium' });
