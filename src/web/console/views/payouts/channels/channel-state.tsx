import { spanText } from '../../../ui/facts';
import { words } from '../../../words';
import type { Standing } from './channels-at-hand';

type Trouble = Pick<Standing, 'paused' | 'circuitOpen' | 'findings'>;

function stopOf({ paused, circuitOpen }: Omit<Trouble, 'findings'>): string | undefined {
  if (paused) return words.channels.paused;
  return circuitOpen ? words.channels.circuitOpen : undefined;
}

/** Undefined while a channel is sound. */
export const troubleOf = (standing: Trouble): string | undefined =>
  stopOf(standing) ?? (standing.findings > 0 ? words.channels.openFindings(standing.findings) : undefined);

/** Whether it pays. What was found is beside it. */
export const ChannelState = ({ standing }: { readonly standing: Standing }) => (
  <State trouble={stopOf(standing)} />
);

/** All that is wrong with it, in one sign. */
export const ChannelSign = ({ standing }: { readonly standing: Standing }) => (
  <State trouble={troubleOf(standing)} />
);

function State({ trouble }: { readonly trouble?: string }) {
  return <span class={`phase ${trouble ? 'warning' : 'open'}`}>{trouble ?? words.channels.sound}</span>;
}

/** How many payouts are on their way, and since when. */
export function outboundText({ payouts, oldestSeconds, unsent }: Standing): string {
  const waiting = unsent > 0 ? words.channels.unsent(unsent) : '';
  return (payouts === 0 ? '0' : words.channels.out(payouts, spanText(oldestSeconds))) + waiting;
}
