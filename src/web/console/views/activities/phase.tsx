import type { Schema } from '../../../../../libs/client';
import { words } from '../../words';

type Activity = Schema<'ActivityDto'>;

/** It ended before it could open: its window is only what was planned. */
export const neverOpened = ({ cancelled, closedAt, opensAt }: Activity): boolean =>
  cancelled || (closedAt !== null && closedAt < opensAt);

/** The end of its window, real or planned: an early close counts. */
export function endOf(activity: Activity): string {
  const { closedAt, closesAt } = activity;
  return closedAt !== null && closedAt < closesAt && !neverOpened(activity) ? closedAt : closesAt;
}

export function Phase({ activity: { phase, cancelled, rehearsal } }: { readonly activity: Activity }) {
  return (
    <>
      <span class={`phase ${cancelled ? 'cancelled' : phase}`}>
        {words.phases[cancelled ? 'cancelled' : phase]}
      </span>
      {rehearsal && <span class="phase">{words.labels.rehearsal}</span>}
    </>
  );
}
