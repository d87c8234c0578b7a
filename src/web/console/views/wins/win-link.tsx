import type { ComponentChildren } from 'preact';
import { Link } from '../../ui/address';

interface WinLinkProps {
  readonly win: { readonly activityId: string; readonly userId: string };
  readonly children: ComponentChildren;
}

/** A user wins once in an activity at most, so both name the win. */
export function WinLink({ win: { activityId, userId }, children }: WinLinkProps) {
  return <Link to={['wins', activityId, userId]}>{children}</Link>;
}
