import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { amountOf, decimalsOf, minorOf } from '../../../kit/money';
import { Link } from '../../ui/address';
import { useAnswer } from '../../ui/asking';
import { Facts, spanText, When } from '../../ui/facts';
import { Complaint } from '../../ui/outcome';
import { NotThere } from '../../ui/not-there';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { amountText, momentText } from '../../words/language';
import type { ViewProps } from '../view-props';
import { About, NeverOpened } from './about';
import { atProof, isOver, useProgress, useProof } from './live/live';
import { neverOpened, Phase } from './phase';
import { playersLink } from './players-page';

type Activity = Schema<'ActivityDto'>;
type Proof = Schema<'ReconciliationDto'>;
type Progress = Schema<'ProgressDto'>;

const POLL_MS = 15_000;
const BATCHES_SHOWN = 10;

/** How an activity went, on one page for its sponsor, to print or link to. */
export function ReportView(props: ViewProps & { readonly id: string }) {
  const { api, id } = props;
  const activity = useAnswer((options) => api.readActivity(id, options), [api, id], { everyMs: POLL_MS });
  if (activity.fault?.isMissing) return <NotThere sentence={activity.fault.sentence} part="activities" />;
  return (
    <>
      {!activity.value && <h1>{words.activity.title(id)}</h1>}
      <Unread asked={activity} />
      {activity.value && <Report api={api} activity={activity.value} />}
    </>
  );
}

interface ReportProps {
  readonly api: ApiClient;
  readonly activity: Activity;
}

function Report({ api, activity: read }: ReportProps) {
  const proof = useProof(api, read);
  const progress = useProgress(api, read);
  const activity = atProof(read, proof);
  const { id, name } = activity;
  const said = words.report;
  const { taps, refused, areGone } = tapFacts(progress.value, proof.value);
  return (
    <article class="report">
      <div class="page-head">
        <h1>
          {said.title}: {name} <Phase activity={activity} />
        </h1>
        <About activity={activity} />
        <Tools id={id} />
      </div>
      {!isOver(activity) && <p class="warning">{said.notOver}</p>}
      <Complaint fault={proof.fault} />
      <NeverOpened activity={activity} proof={proof.value} />
      {proof.value && neverOpened(activity) && <Part title={said.money} facts={moneyFacts(proof.value)} />}
      {proof.value && !neverOpened(activity) && (
        <div class="parts">
          <Part title={said.money} facts={moneyFacts(proof.value)} />
          <Part title={said.packets} facts={{ ...packetFacts(proof.value), ...(!refused && taps) }}>
            <LastPacket api={api} activity={activity} proof={proof.value} />
            {areGone && <p>{said.tapsGone}</p>}
          </Part>
          {refused && (
            <Part title={said.taps} facts={taps}>
              <h3>{said.refused}</h3>
              <Facts label={said.refused} facts={refused} />
            </Part>
          )}
          <Part title={said.payment} facts={paymentFacts(proof.value, Boolean(activity.payout))} />
        </div>
      )}
      {/* Nothing is pushed down by figures that come later. */}
      {(proof.value ?? proof.fault) && <Fairness api={api} activity={activity} />}
      <p class="as-of">{words.common.asOf(momentText(Date.now()))}</p>
    </article>
  );
}

function Tools({ id }: { readonly id: string }) {
  const [isCopied, setCopied] = useState(false);
  const said = words.report;
  const copy = async () => {
    await navigator.clipboard.writeText(location.origin + location.pathname);
    setCopied(true);
  };
  return (
    <div class="row tools">
      <button onClick={() => print()}>{said.print}</button>
      <button onClick={() => void copy().catch(() => undefined)}>{said.copy}</button>
      <Link class="button" to={['activities', id]}>
        {said.back}
      </Link>
      <span role="status" class="done">
        {isCopied && said.copied}
      </span>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  readonly facts: Readonly<Record<string, ComponentChildren>>;
  readonly children?: ComponentChildren;
}

function Part({ title, facts, children }: PartProps) {
  return (
    <div class="panel">
      <h2>{title}</h2>
      <Facts leads label={title} facts={facts} />
      {children}
    </div>
  );
}

const wonMinor = ({ credited, pending, dead, void: voided }: Proof): bigint =>
  [credited, pending, dead, voided].reduce((sum, amount) => sum + minorOf(amount), 0n);

function moneyFacts(proof: Proof): PartProps['facts'] {
  const { funded, refunded, unclaimed, currency, verdict } = proof;
  const said = words.report;
  return {
    [said.funded]: `${funded} ${currency}`,
    [said.won]: `${amountOf(wonMinor(proof), decimalsOf(funded))} ${currency}`,
    [said.refunded]: `${refunded} ${currency}`,
    [said.refundDue]: minorOf(unclaimed) > 0n ? `${unclaimed} ${currency}` : undefined,
    [said.books]: verdict === 'balanced' ? said.agree : said.differ,
  };
}

/** Nobody wins twice in one activity, so there are as many winners as packets that were won. */
function packetFacts(proof: Proof): PartProps['facts'] {
  const { claimed, total } = proof.packets;
  const said = words.report;
  return {
    [said.winners]: said.ofAll(claimed, total),
    [said.average]:
      claimed > 0
        ? `${amountOf(wonMinor(proof) / BigInt(claimed), decimalsOf(proof.funded))} ${proof.currency}`
        : undefined,
  };
}

interface LastPacketProps extends ReportProps {
  readonly proof: Proof;
}

/** The time from the opening to the last win, if no packet was left. */
function LastPacket({ api, activity: { id, opensAt }, proof: { packets } }: LastPacketProps) {
  const isSoldOut = packets.claimed === packets.total;
  const { value, fault } = useAnswer(
    async (options) => (isSoldOut ? (await api.listGrabs(id, { limit: 1 }, options)).items[0] : undefined),
    [api, id, isSoldOut],
  );
  const said = words.report;
  if (!isSoldOut) return <p>{said.left(packets.total - packets.claimed)}</p>;
  if (!value) return <Complaint fault={fault} />;
  const seconds = (Date.parse(value.confirmedAt) - Date.parse(opensAt)) / 1_000;
  return (
    <p>
      {said.lastPacket} <strong>{spanText(Math.max(0, seconds))}</strong> (<When at={value.confirmedAt} />)
    </p>
  );
}

const REASONS = ['soldOut', 'notOpen', 'notYet', 'closed', 'limit', 'already'] as const;

/** How many there were, and why some brought no packet. Counts are kept for a day: without any, the wins are older. */
function tapFacts(progress: Progress | undefined, proof: Proof | undefined) {
  const said = words.report;
  if (!progress?.taps) return { taps: {} };
  const { taps } = progress;
  const all = [taps.won, taps.reserved, ...REASONS.map((name) => taps[name])].reduce((sum, n) => sum + n, 0);
  if (all === 0 && proof && proof.packets.claimed > 0) return { taps: {}, areGone: true };
  const refused = Object.fromEntries(REASONS.map((name) => [said.reasons[name], taps[name] || undefined]));
  return {
    taps: { [said.allTaps]: all },
    refused: REASONS.some((name) => taps[name] > 0) ? refused : undefined,
  };
}

function paymentFacts(proof: Proof, isPaidOut: boolean): PartProps['facts'] {
  const { credits, claims, pending, dead, void: voided } = proof;
  const said = words.report;
  const all = (count: number, amount: string) => (
    <>
      {amountText(`${amount} ${proof.currency}`)} <small>{said.inPackets(count)}</small>
    </>
  );
  const some = (count: number, amount: string) => (count > 0 ? all(count, amount) : undefined);
  return {
    [said.kept]: all(credits.kept.claims, credits.kept.amount),
    ...(isPaidOut && {
      [said.sent]: some(credits.sent.claims, credits.sent.amount),
      [said.paid]: all(credits.paid.claims, credits.paid.amount),
    }),
    [said.pending]: some(claims.pending, pending),
    [said.dead]:
      claims.dead > 0 ? (
        <Link to={['dead-letters']} query={{ activity: proof.activityId }}>
          <span class="lost">{all(claims.dead, dead)}</span>
        </Link>
      ) : undefined,
    [said.void]: some(claims.void, voided),
  };
}

/** The hashes that were published before the opening, and where winners check their packets. */
function Fairness({ api, activity }: ReportProps) {
  const { id } = activity;
  const { value, fault } = useAnswer(
    (options) => api.readFairness(id, { limit: BATCHES_SHOWN }, options),
    [api, id],
  );
  const said = words.report;
  if (neverOpened(activity)) return null;
  const link = playersLink(id);
  return (
    <div class="panel">
      <h2>{said.fairness}</h2>
      <Complaint fault={fault} />
      {value?.batches.map(({ batch, commit, root }) => (
        <Facts
          key={batch}
          label={`${said.fairness} ${batch}`}
          facts={{
            [said.commitment]: commit && <code>{commit}</code>,
            [said.root]: root && <code>{root}</code>,
          }}
        />
      ))}
      <p>
        {said.check} <a href={link}>{link}</a>
      </p>
    </div>
  );
}
