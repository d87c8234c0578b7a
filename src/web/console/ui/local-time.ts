/** The value of a field for a moment: the wall clock of the browser, to the second, without a zone. */
export function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}

/** NaN if the field is empty or cannot be read. */
export const msOf = (local: string): number => new Date(local).getTime();

/** Sends unreadable input unchanged, so that the API says what is wrong with it. */
export function instantOf(local: string): string {
  const ms = msOf(local);
  return Number.isNaN(ms) ? local : new Date(ms).toISOString();
}

/** A moment that the API names, as the field shows it. */
export const localOf = (instant: string | undefined): string =>
  instant === undefined ? '' : localTime(Date.parse(instant));
