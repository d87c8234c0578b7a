import { useRef } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import { usePages } from './pages';
import { shortId } from './person';
import { List, Row } from './row';
import { moneyAmong } from './several';
import { ThankForm } from './thank-form';
import type { Visit } from './visit';

interface ReceivedProps extends Visit {
  readonly round: number;
}

export function ReceivedList(props: ReceivedProps) {
  const { api, session, words, language, round } = props;
  const page = usePages((query) => api.listMyPackets(query), session, [api, round]);
  const totals = page.value?.totals ?? [];
  const money = moneyAmong(totals, language);
  return (
    <List
      {...props}
      title={words.received}
      empty={words.nothingReceived}
      sums={totals.map(({ amount, currency, packets }) =>
        words.receivedSum(money(amount, currency), packets),
      )}
      page={page}
    >
      {(packet) => (
        <ReceivedRow
          key={packet.redPacketId}
          {...props}
          packet={packet}
          money={money(packet.amount, packet.currency)}
          onThanked={page.ask}
        />
      )}
    </List>
  );
}

interface ReceivedRowProps extends ReceivedProps {
  readonly packet: Schema<'WonPacketDto'>;
  readonly money: string;
  readonly onThanked: () => void;
}

function ReceivedRow({ packet, onThanked, ...props }: ReceivedRowProps) {
  const { words } = props;
  const { activityId, activityName, confirmedAt, sender, settlement, sponsorId } = packet;
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Row
      {...props}
      {...{ activityId, button }}
      name={activityName}
      about={words.from(sender ?? shortId(sponsorId))}
      aboutWhole={sponsorId}
      at={confirmedAt}
      said={packet.thanks ? words.youSaid(packet.thanks.text) : words.settlements[settlement]}
    >
      {!packet.thanks && settlement !== 'void' && (
        <ThankForm
          {...props}
          packet={packet}
          onThanked={() => {
            // The form goes, and the focus with it.
            button.current?.focus();
            onThanked();
          }}
        />
      )}
    </Row>
  );
}
