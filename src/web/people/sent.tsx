import type { Schema } from '../../../libs/client';
import { ShareButton } from '../kit/share-button';
import { useAnswer } from './answer';
import { momentText } from './moment';
import { usePages } from './pages';
import { linkTo } from './ready';
import { List, Row } from './row';
import { moneyAmong } from './several';
import type { Visit } from './visit';
import type { Words } from './words';

type Sent = Schema<'SentDto'>;

interface SentProps extends Visit {
  readonly round: number;
}

export function SentList(props: SentProps) {
  const { api, session, words, language, round } = props;
  const page = usePages((query) => api.listSent(query), session, [api, round]);
  const totals = page.value?.totals ?? [];
  const money = moneyAmong(totals, language);
  return (
    <List
      {...props}
      title={words.sent}
      empty={words.nothingSent}
      sums={totals.map(({ amount, returned, currency }) =>
        words.sentSum(money(amount, currency), Number(returned) > 0 ? money(returned, currency) : undefined),
      )}
      page={page}
    >
      {(sent) => (
        <Row
          key={sent.activityId}
          {...props}
          activityId={sent.activityId}
          name={sent.name}
          about={stateOf(sent, words, money)}
          money={money(sent.amount, sent.currency)}
          at={sent.createdAt}
          said={sent.thanks > 0 ? words.thankedBy(sent.thanks) : undefined}
        >
          {sent.phase === 'open' && <StillOpen {...props} sent={sent} />}
        </Row>
      )}
    </List>
  );
}

function stateOf(sent: Sent, words: Words, money: (amount: string, currency: string) => string): string {
  const { grabbed, packetCount, amount, returned, currency } = sent;
  const parts = [words.ofPackets(packetCount)];
  if (grabbed) parts[0] = words.grabbed(grabbed.packets, packetCount);
  if (grabbed && grabbed.packets > 0 && grabbed.amount !== amount)
    parts.push(money(grabbed.amount, currency));
  if (Number(returned) > 0) parts.push(words.cameBack(money(returned, currency)));
  return parts.join(' · ');
}

/** The link of packets that are still there, for others to whom it was not sent yet. */
function StillOpen({ api, session, words, language, sent }: Visit & { readonly sent: Sent }) {
  const { activityId, name, closesAt } = sent;
  const { value } = useAnswer(() => api.readActivityAudience(activityId), session, [api, activityId]);
  return (
    <>
      <p class="hint">{words.comesBackAt(momentText(closesAt, language))}</p>
      {value?.password !== undefined && <p class="hint">{words.tellPassword(value.password)}</p>}
      {value && (
        <ShareButton url={linkTo(activityId, value)} text={name} label={words.sendOn} words={words} />
      )}
    </>
  );
}
