import { type Language, tagOf } from '../kit/language';

/** A day and its time. The year is left out while it is this one. */
export function momentText(at: string, language: Language): string {
  const moment = new Date(at);
  return moment.toLocaleString(tagOf(language), {
    ...(moment.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
    ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
  });
}
