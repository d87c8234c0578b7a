import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiProblem, newKey, type Schema } from '../../../libs/client';
import { tagOf } from '../kit/language';
import { moneyText } from '../kit/money';
import { ShareButton } from '../kit/share-button';
import { type Answer, isSignedOut, useAnswer } from './answer';
import { linkTo } from './ready';
import type { Visit } from './visit';
import { refusalText } from './words';

type Received = Schema<'WonPacketDto'>;
type Sent = Schema<'SentDto'>;
type Tab = 'received' | 'sent';

const SHOWN_MAX = 100;

/** The wallets, and what the user has received and sent. */
export function Mine(visit: Visit) {
  const { api, session, words, language } = visit;
  const [tab, setTab] = useState<Tab>(location.hash === '#sent' ? 'sent' : 'received');
  const wallets = useAnswer(() => api.listMyWallets(), session, [api]);
  return (
    <>
      <section class="card" aria-label={words.wallet}>
        <h2>{words.wallet}</h2>
        {wallets.value?.items.map(({ balance, currency }) => (
          <p key={currency} class="amount" data-balance={balance}>
            {moneyText(balance, currency, language)}
          </p>
        ))}
        <Waiting {...visit} answer={wallets} />
      </section>
      <nav class="tabs" aria-label={words.mine}>
        {(['received', 'sent'] as const).map((one) => (
          <button key={one} class="quiet" aria-pressed={tab === one} onClick={() => setTab(one)}>
            {words[one]}
          </button>
        ))}
      </nav>
      {tab === 'received' ? <ReceivedList {...visit} /> : <SentList {...visit} />}
    </>
  );
}

type WaitingProps = Visit & { readonly answer: Answer<unknown> };

const WaitingCard = (props: WaitingProps) => (
  <div class="card">
    <Waiting {...props} />
  </div>
);

/** Why there is nothing yet to show. */
function Waiting({ words, answer }: WaitingProps) {
  const { value, hurdle, error } = answer;
  if (error !== undefined && value === undefined) {
    return (
      <>
        <p role="alert">{refusalText(error, words)}</p>
        <button class="quiet" onClick={answer.ask}>
          {words.again}
        </button>
      </>
    );
  }
  if (value !== undefined && !hurdle) return null;
  return <p role="status">{hurdle ? words.hurdle[hurdle] : words.loading}</p>;
}

interface ListProps {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly empty: string;
  readonly sums: readonly string[];
  readonly children: ComponentChildren;
}

const List = ({ title, isEmpty, empty, sums, children }: ListProps) => (
  <section class="card list" aria-label={title}>
    {sums.map((sum) => (
      <p key={sum} class="total">
        {sum}
      </p>
    ))}
    {isEmpty && <p>{empty}</p>}
    <ol>{children}</ol>
  </section>
);

function ReceivedList(visit: Visit) {
  const { api, session, words, language } = visit;
  const page = useAnswer(() => api.listMyPackets({ limit: SHOWN_MAX }), session, [api]);
  if (!page.value) return <WaitingCard {...visit} answer={page} />;
  const { items, totals = [] } = page.value;
  return (
    <List
      title={words.received}
      isEmpty={items.length === 0}
      empty={words.nothingReceived}
      sums={totals.map(({ amount, currency, packets }) =>
        words.receivedSum(moneyText(amount, currency, language), packets),
      )}
    >
      {items.map((packet) => (
        <Row
          key={packet.redPacketId}
          {...visit}
          activityId={packet.activityId}
          name={packet.activityName}
          about={words.from(packet.sponsorId)}
          money={moneyText(packet.amount, packet.currency, language)}
          at={packet.confirmedAt}
          said={packet.thanks && words.youSaid(packet.thanks.text)}
        >
          {!packet.thanks && packet.settlement !== 'void' && (
            <ThankForm {...visit} packet={packet} onThanked={page.ask} />
          )}
        </Row>
      ))}
    </List>
  );
}

function SentList(visit: Visit) {
  const { api, session, words, language } = visit;
  const page = useAnswer(() => api.listSent({ limit: SHOWN_MAX }), session, [api]);
  if (!page.value) return <WaitingCard {...visit} answer={page} />;
  const { items, totals = [] } = page.value;
  return (
    <List
      title={words.sent}
      isEmpty={items.length === 0}
      empty={words.nothingSent}
      sums={totals.map(({ amount, returned, currency }) =>
        words.sentSum(moneyText(amount, currency, language), moneyText(returned, currency, language)),
      )}
    >
      {items.map((sent) => (
        <Row
          key={sent.activityId}
          {...visit}
          activityId={sent.activityId}
          name={sent.name}
          about={stateOf(sent, visit)}
          money={moneyText(sent.amount, sent.currency, language)}
          at={sent.createdAt}
          said={sent.thanks > 0 ? words.thankedBy(sent.thanks) : undefined}
        >
          {sent.phase === 'open' && <SendOn {...visit} sent={sent} />}
        </Row>
      ))}
    </List>
  );
}

function stateOf({ grabbed, packetCount, returned, currency }: Sent, { words, language }: Visit): string {
  const gone = grabbed ? words.grabbed(grabbed.packets, packetCount) : words.ofPackets(packetCount);
  return Number(returned) > 0 ? `${gone} · ${words.cameBack(moneyText(returned, currency, language))}` : gone;
}

interface RowProps extends Visit {
  readonly activityId: string;
  readonly name: string;
  readonly about: string;
  readonly money: string;
  readonly at: string;
  readonly said?: string;
  readonly children: ComponentChildren;
}

/** One packet, or all of a sender: with a tap it opens, and shows who got what. */
function Row({ activityId, name, about, money, at, said, children, ...visit }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const when = new Date(at).toLocaleString(tagOf(visit.language), {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return (
    <li>
      <button class="row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span>{name}</span>
        <strong>{money}</strong>
        <small>{about}</small>
        <small>{when}</small>
      </button>
      {said && <p class="said">{said}</p>}
      {isOpen && (
        <div class="opened">
          {children}
          <WhoGotWhat {...visit} activityId={activityId} />
        </div>
      )}
    </li>
  );
}

function WhoGotWhat({ activityId, ...visit }: Visit & { readonly activityId: string }) {
  const { api, session, words, language } = visit;
  const grabs = useAnswer(() => api.listGrabs(activityId, { limit: SHOWN_MAX }), session, [api, activityId]);
  const items = grabs.value?.items ?? [];
  return (
    <>
      <h3>{words.whoGot}</h3>
      <Waiting {...visit} answer={grabs} />
      {grabs.value && items.length === 0 && <p class="hint">{words.nobodyYet}</p>}
      <ul>
        {items.map(({ redPacketId, userId, amount, currency, isBest, thanks }) => (
          <li key={redPacketId}>
            <span>
              {userId === session.user ? words.you : userId} {isBest && <em>{words.best}</em>}
            </span>
            <strong>{moneyText(amount, currency, language)}</strong>
            {thanks && <small>“{thanks.text}”</small>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The link of packets that are still there, for others to whom it was not sent yet. */
function SendOn({ api, session, words, sent }: Visit & { readonly sent: Sent }) {
  const { activityId, name } = sent;
  const audience = useAnswer(() => api.readActivityAudience(activityId), session, [api, activityId]);
  if (!audience.value) return null;
  return (
    <ShareButton url={linkTo(activityId, audience.value)} text={name} label={words.sendOn} words={words} />
  );
}

const TEXT_MAX = 60;

function ThankForm({
  api,
  session,
  words,
  packet,
  onThanked,
}: Visit & { packet: Received; onThanked: () => void }) {
  const [text, setText] = useState('');
  const [key] = useState(newKey);
  const [error, setError] = useState<unknown>();
  const thank = async (said: string) => {
    try {
      await api.thankForPacket(packet.redPacketId, { text: said }, { key: key + said.length });
      onThanked();
    } catch (fault) {
      if (isSignedOut(fault)) return session.requestToken();
      if (fault instanceof ApiProblem && fault.code === 'thanks.given') return onThanked();
      setError(fault);
    }
  };
  const id = `thanks-${packet.redPacketId}`;
  return (
    <form
      class="thanks"
      aria-label={words.thank}
      onSubmit={(event) => {
        event.preventDefault();
        void thank(text);
      }}
    >
      <div class="ways">
        {words.thanks.map((one) => (
          <button key={one} type="button" class="quiet" onClick={() => void thank(one)}>
            {one}
          </button>
        ))}
      </div>
      <label for={id}>{words.thankInWords}</label>
      <input
        id={id}
        required
        maxLength={TEXT_MAX}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <p role="alert" class="fault">
        {error !== undefined && refusalText(error, words)}
      </p>
      <button class="quiet">{words.thank}</button>
    </form>
  );
}
