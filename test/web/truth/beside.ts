import type { Frame } from './frame';

/** The part of a reconciliation with which pages are compared. */
export interface Truth {
  readonly phase: string;
  readonly cancelled: boolean;
  readonly funded: string;
  readonly currency: string;
  readonly packets: { readonly claimed: number; readonly total: number };
}

/** The order of a rain's phases. Added packets open a sold-out rain again. */
const PHASES = ['Scheduled', 'Open', 'Sold out', 'Closed', 'Settled'];

/** A phase of the API as pages name it. */
const nameOf = (phase: string): string => phase.charAt(0).toUpperCase() + phase.slice(1).replace('-', ' ');

/** Returns where the page of an activity is ahead of the API, which was read after the page. */
export function aheadOf(frame: Frame, after: Truth): string[] {
  const confirmed = frame.figures.find(({ name }) => name === 'Confirmed')?.value ?? '0 of 0';
  const [claimed, total] = confirmed.split(' of ').map(Number);
  const phase = frame.phases[''] ?? 'Scheduled';
  return [
    ...(claimed! > after.packets.claimed ? [`${claimed} confirmed, and ${after.packets.claimed}`] : []),
    ...(total! > after.packets.total ? [`${total} packets, and ${after.packets.total}`] : []),
    ...(isLater(phase, after) ? [`it is ${phase}, and ${after.phase}`] : []),
  ];
}

function isLater(phase: string, { phase: now, cancelled }: Truth): boolean {
  if (phase === 'Cancelled') return !cancelled;
  return PHASES.indexOf(phase) > PHASES.indexOf(nameOf(now));
}

/** Returns where the page of an activity differs from the API, once nothing changes any more. */
export function differencesFrom(frame: Frame, after: Truth): string[] {
  const { packets, funded, currency } = after;
  const shown = Object.fromEntries(frame.figures.map(({ name, value }) => [name, value]));
  const expected = { Confirmed: `${packets.claimed} of ${packets.total}`, Funded: `${funded} ${currency}` };
  const wrong = Object.entries(expected).filter(([name, value]) => shown[name] !== value);
  return [
    ...wrong.map(([name, value]) => `"${name}" is ${shown[name]}, not ${value}`),
    ...otherEnd(frame, after),
  ];
}

/** The same of an activity that ended before it could open: its page says so, and where its money went. */
export function differencesFromUnopened(frame: Frame, after: Truth): string[] {
  const { packets, funded, currency } = after;
  const expected = ['before it opened, so there were no wins', `${funded} ${currency} went back to `];
  return [
    ...expected.filter((text) => !frame.text.includes(text)).map((text) => `it does not say "${text}"`),
    ...(packets.claimed > 0 ? [`it has ${packets.claimed} wins`] : []),
    ...otherEnd(frame, after),
  ];
}

function otherEnd({ phases }: Frame, { phase, cancelled }: Truth): string[] {
  const ended = cancelled ? 'Cancelled' : nameOf(phase);
  return phases[''] === ended ? [] : [`it is ${phases['']}, not ${ended}`];
}
