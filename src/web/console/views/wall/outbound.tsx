import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { spanText } from '../../ui/facts';
import { words } from '../../words';
import { grouped } from '../../words/language';
import { ChannelSign, FindingsLink, troubleOf } from '../payouts/channels/channel-state';
import { Pausing } from '../payouts/channels/pausing';

interface OutboundProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly outbound: NonNullable<Schema<'OverviewDto'>['outbound']>;
  readonly onChanged: () => void;
}

/** The money leaving the wallets, channel by channel. */
export function Outbound({ api, person, outbound, onChanged }: OutboundProps) {
  return (
    <section class="outbound" aria-label={words.wall.outbound}>
      <h2>{words.wall.outbound}</h2>
      <div class="rains">
        {outbound.map((standing) => {
          const { channelId: id, name, paused, payouts, amount, currency, oldestSeconds, unsent } = standing;
          return (
            <article key={id} class={troubleOf(standing) ? 'proof troubled' : 'proof'} aria-label={name}>
              <h3>
                <Link to={['payouts', 'channels', id]}>{name}</Link> <ChannelSign standing={standing} />
              </h3>
              <dl class="facts">
                <Figure title={words.channels.outbound} value={`${grouped(amount)} ${currency}`} />
                <Figure title={words.navigation.parts.payouts} value={grouped(String(payouts))} />
                <Figure
                  title={words.wall.oldest}
                  value={payouts === 0 ? words.spans.none : spanText(oldestSeconds)}
                />
                {unsent > 0 && <Figure title={words.wall.unsent} value={String(unsent)} />}
              </dl>
              <div class="row">
                {standing.heldByFinding && (
                  <FindingsLink standing={standing} isButton>
                    {words.channels.toFindings}
                  </FindingsLink>
                )}
                {may(person, 'administer') && (
                  <Pausing api={api} channel={{ id, name, paused }} onDone={onChanged} />
                )}
              </div>
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
