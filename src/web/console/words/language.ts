import type { Schema } from '../../../../libs/client';
import { type Language, speak, tagOf } from '../../kit/language';
import { decimalsOf } from '../../kit/money';
import { chooseWords, words } from '.';
import { en } from './en';
import { isForeignZone, nameOfZone } from './zone';

let locale = tagOf('en');

/**
 * Most people read one language, so the other is loaded when it is wanted.
 *
 * @throws TypeError if the texts cannot be loaded; then the language stays as it was
 */
export async function speakIn(language: Language): Promise<void> {
  chooseWords(language === 'en' ? en : (await import('./zh')).zh);
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

/**
 * A moment in the zone that the reader has chosen, with its name unless it is that of their own clock. The current year
 * is left out.
 */
export function momentText(at: string | number | Date, options?: Intl.DateTimeFormatOptions): string {
  const moment = new Date(at);
  const shown = options ?? { ...MOMENT, year: yearOf(moment) };
  // Styles cannot be combined with the name of a zone.
  const isNamed = isForeignZone() && shown.timeStyle === undefined;
  return moment.toLocaleString(locale, {
    ...shown,
    timeZone: nameOfZone(),
    timeZoneName: isNamed ? 'short' : undefined,
  });
}

/** A moment to the minute, for lists of what was planned. */
export const minuteText = (at: string): string =>
  momentText(at, { ...MOMENT, second: undefined, year: yearOf(new Date(at)) });

const yearOf = (moment: Date): 'numeric' | undefined =>
  moment.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';

/** A moment by the clocks of a place, with the day of the week and the name of the zone. */
export const momentIn = (timeZone: string, at: string): string =>
  new Date(at).toLocaleString(locale, {
    ...{ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZone, timeZoneName: 'short' },
  });

/** @param day of the week, from 0 on, which is a Monday */
export const weekdayText = (day: number): string =>
  // The first of January 2024 was one.
  new Date(Date.UTC(2024, 0, 1 + day)).toLocaleDateString(locale, { weekday: 'long', timeZone: 'UTC' });

export const listText = (items: readonly string[]): string => new Intl.ListFormat(locale).format(items);

/**
 * An amount with separators between thousands and a minus sign, if a text is one: it has decimals, or a currency after
 * it. For people to read, never in what they type or download.
 */
export const amountText = (text: string): string =>
  /^-?\d+(\.\d+( [A-Z][A-Z0-9]{2,11})?| [A-Z][A-Z0-9]{2,11})$/.test(text) ? grouped(text) : text;

/** The same for a text that is known to be an amount: in some currencies it looks like any other number. */
export const grouped = (amount: string): string =>
  amount.replace(/\d(?=(\d{3})+(?!\d))(?<!\.\d*)/g, '$&,').replace(/^-/, '−');

/** An amount in its currency, as far as that is known. */
export const moneyText = (amount: string, currency: string | undefined): string =>
  currency === undefined ? grouped(amount) : `${grouped(amount)} ${currency}`;

/** The zone of the reader's clock at a moment, as "Asia/Shanghai (GMT+8)". */
export function zoneText(ms: number): string {
  const timeZone = nameOfZone('browser');
  const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'shortOffset' }).formatToParts(ms);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value;
  return offset === undefined || offset === timeZone ? timeZone : `${timeZone} (${offset})`;
}

/** Money by the name that Intl has in the reader's language, and everything else by the name that people gave it. */
export const currencyName = ({ code, kind, name }: Schema<'CurrencyDto'>): string =>
  kind === 'money' ? (new Intl.DisplayNames(locale, { type: 'currency' }).of(code) ?? name) : name;

const LARGE = 10_000;

/** An amount with the name of its currency, and how much a large one is, so that a zero too many is seen. */
export function moneyInWords(amount: string, currency: string): string {
  const decimals = decimalsOf(amount);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const style = { style: 'currency', currency, currencyDisplay: 'name' } as const;
  const named = /^CODE\d+$/.test(currency)
    ? words.codePools.ofPool(new Intl.NumberFormat(locale).format(Number(amount)), currency)
    : /^[A-Z]{3}$/.test(currency)
      ? new Intl.NumberFormat(locale, { ...digits, ...style }).format(Number(amount))
      : `${new Intl.NumberFormat(locale, digits).format(Number(amount))} ${currency}`;
  if (Number(amount) < LARGE) return named;
  const size = new Intl.NumberFormat(locale, {
    notation: 'compact',
    compactDisplay: 'long',
    maximumFractionDigits: 2,
  }).format(Number(amount));
  return `${named} (${size})`;
}
