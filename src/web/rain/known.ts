import { useEffect, useMemo } from 'preact/hooks';
import { userOf } from '../kit/person';
import type { Activity, View, Win } from './player';

/** What the player has seen of a rain. It is kept for this tab alone, as the token is. */
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
    if (activity && user) remember(nameOf(activityId), { user, activity, win });
  }, [activity, user, win]);
  return known;
}

/** A browser may forbid storage in a frame: a reload then knows nothing. */
function recall(name: string, user: string | undefined): Known | undefined {
  try {
    const { user: owner, ...known } = JSON.parse(sessionStorage.getItem(name)!) as Known & { user: string };
    return owner === user ? known : undefined;
  } catch {
    return undefined;
  }
}

function remember(name: string, known: Known & { readonly user: string }): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(known));
  } catch {
    // Storage may be forbidden, as in `recall`.
  }
}
