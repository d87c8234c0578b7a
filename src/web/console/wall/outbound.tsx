import type { ApiClient, Schema } from '../../../../libs/client';
import { Link } from '../address';
import { spanText } from '../facts';
import { ChannelState, troubleOf } from '../payouts/channel-state';
import { Freezing } from '../payouts/freezing';
import { may, type Person } from '../staff';

interface OutboundProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly outbound: NonNullable<Schema<'OverviewDto'>['outbound']>;
  readonly look: () => void;
}

/** What is on its way out of the wallets, channel by channel. */
export function Outbound({ api, person, outbound, look }: OutboundProps) {
  return (
    <section class="outbound" aria-label="On its way out">
      <h2>On its way out</h2>
      <div class="rains">
        {outbound.map((standing) => {
          const { channelId: id, name, paused, payouts, amount, currency, oldestSeconds, unsent } = standing;
          return (
            <article key={id} class={troubleOf(standing) ? 'proof troubled' : 'proof'} aria-label={name}>
              <h3>
                <Link to={['payouts', 'channels', id]}>{name}</Link> <ChannelState standing={standing} />
              </h3>
              <dl class="facts">
                <Figure title="Payouts" value={String(payouts)} />
                <Figure title="Money" value={`${amount} ${currency}`} />
                <Figure title="Oldest" value={payouts === 0 ? 'none' : spanText(oldestSeconds)} />
                {unsent > 0 && <Figure title="Wins not taken up yet" value={String(unsent)} />}
              </dl>
              {may(person, 'administer') && (
                <Freezing api={api} channel={{ id, name, paused }} onDone={look} />
              )}
            </article>
          );
        })}
      </div>
    </section>
  );
}

function Figure({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}
