import { useEffect, useMemo } from 'preact/hooks';
import { keep, kept } from '../kit/kept';
import { userOf } from '../kit/person';
import type { Activity, View, Win } from './player';

/** The rain as the player has seen it. Like the token, it is kept only for this tab. */
export interface Known {
  readonly activity: Activity;
  readonly win?: Win;
}

const nameOf = (activityId: string): string => `hongbao.rain.${activityId}`;

/** Returns what the same user knew before a reload, and keeps what they learn. */
export function useKnown(
  activityId: string,
  token: string | undefined,
  { activity, stage }: View,
): Known | undefined {
  const user = token && userOf(token);
  const win = stage.at === 'won' ? stage.win : undefined;
  const known = useMemo(() => recall(nameOf(activityId), user), [activityId, user]);
  useEffect(() => {
    if (activity && user) keep(nameOf(activityId), JSON.stringify({ user, activity, win }), 'sessionStorage');
  }, [activity, user, win]);
  return known;
}

/** Nothing is known without storage, or if the stored text is something else. */
function recall(name: string, user: string | undefined): Known | undefined {
  try {
    const { user: owner, ...known } = JSON.parse(kept(name, 'sessionStorage')!) as Known & { user: string };
    return owner === user ? known : undefined;
  } catch {
    return undefined;
  }
}
