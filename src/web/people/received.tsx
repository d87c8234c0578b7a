import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import { isOfCodes } from '../kit/money';
import { usePages } from './pages';
import { shortId } from './person';
import { List, Row } from './row';
import { moneyAmong } from './several';
import { ThankForm } from './thank-form';
import type { Visit } from './visit';

interface ReceivedProps extends Visit {
  readonly round: number;
  /** The currencies of the wallets, the default first. */
  readonly wallets: readonly string[];
}

/** A list has one currency: the one that was chosen, or else the first in which there are packets. */
export function ReceivedList(props: ReceivedProps) {
  const { api, session, words, language, round, wallets } = props;
  const [chosen, choose] = useState<string>();
  const [found, find] = useState<string>();
  const currency = chosen ?? found;
  const page = usePages((query) => api.listMyPackets({ ...query, currency }), session, [
    api,
    round,
    currency,
  ]);
  const totals = page.value?.totals ?? [];
  const money = moneyAmong(totals, language);
  const listed = page.value?.items[0]?.currency;
  const isEmpty = page.value?.items.length === 0;
  // A win that is not paid yet is in no total, but has a wallet.
  const others = [...totals.map((one) => one.currency), ...wallets.slice(1)];
  const first = others[0];
  useEffect(() => {
    if (currency === undefined && isEmpty && first !== undefined) find(first);
  }, [currency, isEmpty, first]);
  const seen = useRef(new Set<string>()).current;
  for (const code of [...others, listed]) if (code !== undefined) seen.add(code);
  return (
    <List
      {...props}
      title={words.received}
      empty={seen.size > 1 ? words.nothingInCurrency : words.nothingReceived}
      choice={
        seen.size > 1 && (
          <label>
            {words.currency}
            <select value={currency ?? listed} onChange={(event) => choose(event.currentTarget.value)}>
              {[...seen].map((code) => (
                <option key={code} value={code}>
                  {isOfCodes(code) ? `${words.codes} (${code})` : code}
                </option>
              ))}
            </select>
          </label>
        )
      }
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
      {isOfCodes(packet.currency) && settlement !== 'void' && (
        <a class="quiet" href={`rain/${activityId}`}>
          {words.seeCode}
        </a>
      )}
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
