import type { Schema } from '../../../../../libs/client';
import { words } from '../../words';

/** The end that an activity has, or is to have: an early close counts. */
export function endOf({ closedAt, closesAt }: Schema<'ActivityDto'>): string {
  return closedAt !== null && closedAt < closesAt ? closedAt : closesAt;
}

export function Phase({ activity: { phase, cancelled } }: { readonly activity: Schema<'ActivityDto'> }) {
  return <span class={`phase ${phase}`}>{words.phases[cancelled ? 'cancelled' : phase]}</span>;
}
