import type { Schema } from '../../../../../libs/client';
import { words } from '../../words';

type State = Schema<'PayoutDto'>['state'];

const OPEN: readonly State[] = ['reserved', 'unknown', 'processing', 'needs-user'];

/** Staff may retry it, or find out how it ended. */
export const isOpenPayout = ({ state }: { readonly state: State }): boolean => OPEN.includes(state);

export function PayoutState({ state }: { readonly state: State }) {
  return <span class={`phase payout-${state}`}>{words.payouts.states[state]}</span>;
}
