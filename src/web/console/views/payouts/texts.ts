import { words } from '../../words';
import { moneyText, momentText } from '../../words/language';

export function kindText(kind: string): string {
  const { kinds, contradiction } = words.payouts;
  const [, ours, theirs] = /^(.+)-but-(.+)$/.exec(kind) ?? [];
  return kinds[kind] ?? (ours && theirs ? contradiction(sideText(ours), sideText(theirs)) : kind);
}

function sideText(state: string): string {
  const { states, notFound }: { states: Readonly<Record<string, string>>; notFound: string } = words.payouts;
  return state === 'not-found' ? notFound : (states[state] ?? state);
}

/**
 * The facts of a step or a finding, each with its name.
 *
 * @param known the currency of amounts, unless the facts name another
 */
export function factsText(detail: object, known: string | undefined): string {
  const { facts } = words.payouts;
  const { currency: named, ...others } = detail as { readonly currency?: string };
  const currency = named ?? known;
  const shown = 'amount' in others ? others : detail;
  const places = Object.keys(facts);
  const placeOf = (name: string): number => places.indexOf(name) + 1 || places.length + 1;
  return Object.entries(shown)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, value]) => `${facts[name] ?? name} ${factText(name, value, currency)}`)
    .join(' · ');
}

/** Facts whose values are states of a payout. */
const STATES: readonly string[] = ['reported', 'state'];

/** As the API writes one. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function factText(name: string, value: unknown, currency: string | undefined): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (STATES.includes(name)) return sideText(value).toLowerCase();
  // A file of a channel may have anything there.
  if (name === 'amount' && /^\d+(\.\d+)?$/.test(value)) return moneyText(value, currency);
  return INSTANT.test(value) ? momentText(value) : value;
}
