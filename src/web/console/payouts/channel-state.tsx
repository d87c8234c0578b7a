import { spanText } from '../facts';
import type { Standing } from './channels-at-hand';

type Trouble = Pick<Standing, 'paused' | 'circuitOpen' | 'findings'>;

/** Undefined while a channel is sound. */
export function troubleOf({ paused, circuitOpen, findings }: Trouble): string | undefined {
  if (paused) return 'Frozen';
  if (circuitOpen) return 'It does not answer: circuit open';
  return findings > 0 ? `Open findings: ${findings}` : undefined;
}

export function ChannelState({ standing }: { readonly standing: Standing }) {
  const trouble = troubleOf(standing);
  return <span class={`phase ${trouble ? 'warning' : 'open'}`}>{trouble ?? 'Sound'}</span>;
}

export function outboundText({ payouts, amount, currency, oldestSeconds, unsent }: Standing): string {
  const waiting = unsent > 0 ? ` · ${unsent} wins not taken up yet` : '';
  if (payouts === 0) return `Nothing on its way${waiting}`;
  return `${payouts} payouts, ${amount} ${currency}, the oldest for ${spanText(oldestSeconds)}${waiting}`;
}
