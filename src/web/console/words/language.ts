import { type Language, speak, tagOf } from '../../kit/language';
import { chooseWords } from '.';

let locale = tagOf('en');

export function speakIn(language: Language): void {
  chooseWords(language);
  // A reader of English may want the dates of their own country.
  locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? tagOf(language);
  speak(language);
}

const MOMENT: Intl.DateTimeFormatOptions = {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
};

/** The time of day, to the second. */
export const timeText = (at: Date): string =>
  momentText(at, { hour: 'numeric', minute: '2-digit', second: '2-digit' });

/** A moment in the reader's own time zone. The present year goes without saying. */
export function momentText(at: string | number | Date, options?: Intl.DateTimeFormatOptions): string {
  const moment = new Date(at);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return moment.toLocaleString(locale, options ?? { ...MOMENT, year: isThisYear ? undefined : 'numeric' });
}

const LARGE = 10_000;

/** An amount with the name of its currency, and how much a large one is, so that a zero too many is seen. */
export function moneyInWords(amount: string, currency: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const named = new Intl.NumberFormat(locale, {
    ...digits,
    style: 'currency',
    currency,
    currencyDisplay: 'name',
  }).format(Number(amount));
  if (Number(amount) < LARGE) return named;
  const size = new Intl.NumberFormat(locale, {
    notation: 'compact',
    compactDisplay: 'long',
    maximumFractionDigits: 2,
  }).format(Number(amount));
  return `${named} (${size})`;
}
