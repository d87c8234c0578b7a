import type { ComponentChildren } from 'preact';
import { Link } from '../../../ui/address';
import { spanText } from '../../../ui/facts';
import { words } from '../../../words';
import type { Standing } from './channels-at-hand';

type Trouble = Pick<Standing, 'paused' | 'circuitOpen' | 'heldByFinding' | 'findings'>;

/** Undefined while a channel is sound. */
export function troubleOf({ paused, circuitOpen, heldByFinding, findings }: Trouble): string | undefined {
  if (paused) return words.channels.paused;
  if (circuitOpen) return words.channels.circuitOpen;
  if (heldByFinding) return words.channels.held;
  return findings > 0 ? words.channels.openFindings(findings) : undefined;
}

/** All that is wrong with it, in one sign: nothing is sound that contradicts the books. */
export function ChannelSign({ standing }: { readonly standing: Standing }) {
  const trouble = troubleOf(standing);
  const tone = trouble === undefined ? 'ok' : standing.paused ? 'warn' : 'stop';
  return <span class={`phase ${tone}`}>{trouble ?? words.channels.sound}</span>;
}

/** How many payouts are on their way, and since when. */
export function outboundText({ payouts, oldestSeconds, unsent }: Standing): string {
  const waiting = unsent > 0 ? words.channels.unsent(unsent) : '';
  return (payouts === 0 ? '0' : words.channels.out(payouts, spanText(oldestSeconds))) + waiting;
}

interface FindingsLinkProps {
  readonly standing: Standing;
  /** If it is not how many are open. */
  readonly children?: ComponentChildren;
  readonly isButton?: boolean;
}

/** Without findings of its own, those of another channel hold it. */
export function FindingsLink({ standing: { channelId, findings }, children, isButton }: FindingsLinkProps) {
  return (
    <Link
      class={isButton ? 'button' : undefined}
      to={['payouts', 'findings']}
      query={findings > 0 ? { channel: channelId } : {}}
    >
      {children ?? words.channels.openFindings(findings)}
    </Link>
  );
}
