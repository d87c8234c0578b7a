import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer, useDeed } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { Facts } from '../../ui/facts';
import { Choice, Field } from '../../ui/form';
import { FormDialog } from '../../ui/form-dialog';
import { notify } from '../../ui/notices';
import { NotThere } from '../../ui/not-there';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { momentText } from '../../words/language';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { type Channel, useChannels } from './channels/channels-at-hand';
import { FindingDeeds } from './finding-deeds';
import { isOpenPayout, PayoutState } from './payout-state';
import { PayoutStory } from './payout-story';
import { factsText, kindText } from './texts';

type Payout = Schema<'PayoutStoryDto'>;

const POLL_MS = 2_000;

/** One payout and all that has become of it. */
export function PayoutView({ api, person, id }: ViewProps & { readonly id: string }) {
  const payout = useAnswer((options) => api.readPayout(id, options), [api, id], { everyMs: POLL_MS });
  const channels = useChannels(api);
  const channel = channels.value?.find((one) => one.id === payout.value?.channelId);
  if (payout.fault?.isMissing) return <NotThere sentence={payout.fault.sentence} part="payouts" />;
  return (
    <>
      <div class="row">
        <h1>
          {words.payouts.title(id)} {payout.value && <PayoutState state={payout.value.state} />}
        </h1>
        {payout.value && mayDecide(person, payout.value) && (
          <Deeds {...{ api, channel }} payout={payout.value} onDone={payout.ask} />
        )}
      </div>
      <Unread asked={payout} />
      {payout.value && (
        <>
          <Findings {...{ api, person }} payout={payout.value} onDone={payout.ask} />
          <section class="panel" aria-label={words.payouts.label}>
            <Told payout={payout.value} />
            {may(person, 'manage-money') && person.sub === payout.value.userId && (
              <p class="about">{words.payouts.own}</p>
            )}
            <Standing payout={payout.value} channel={channel} />
          </section>
          <PayoutStory payout={payout.value} />
        </>
      )}
    </>
  );
}

/** Nobody decides about their own money. */
const mayDecide = (person: Person, { userId }: Payout): boolean =>
  may(person, 'manage-money') && person.sub !== userId;

/** Why it is in a state that calls for a word, and where its money is. */
function Told({ payout: { state, code, action, userId } }: { readonly payout: Payout }) {
  const text = words.payouts.told[state]?.(code ?? action, userId);
  return text === undefined ? null : <p class={`told payout-${state}`}>{text}</p>;
}

interface FindingsProps extends Omit<DeedsProps, 'channel'> {
  readonly person: Person;
}

/** The open ones. Those that have ended are in the story. */
function Findings({ api, person, payout, onDone }: FindingsProps) {
  const open = payout.findings.filter(({ endedAt }) => endedAt === null);
  if (open.length === 0) return null;
  return (
    <section class="panel" aria-label={words.findings.title}>
      {open.map((finding) => (
        <div key={finding.id} class="row asking">
          <p>
            <strong>{words.payouts.finding(finding.id)}</strong> {kindText(finding.kind)}
            <br />
            <small>{factsText(finding.detail, payout.currency)}</small>
          </p>
          {mayDecide(person, payout) && <FindingDeeds {...{ api, finding, onDone }} />}
        </div>
      ))}
    </section>
  );
}

/** Its times are in the story. */
function Standing({ payout, channel }: { readonly payout: Payout; readonly channel?: Channel }) {
  const { userId, amount, currency, channelId, attempt, externalId } = payout;
  return (
    <Facts
      leads
      label={words.payouts.label}
      facts={{
        [words.labels.amount]: `${amount} ${currency}`,
        [words.labels.userId]: <WalletLink {...{ userId, currency }} />,
        [words.labels.channelId]: (
          <Link to={['payouts', 'channels', channelId]}>{channel?.name ?? channelId}</Link>
        ),
        [words.payouts.attempt]: attempt > 1 ? attempt : undefined,
        [words.labels.externalId]: externalId ?? undefined,
      }}
    />
  );
}

interface DeedsProps {
  readonly api: ApiClient;
  readonly payout: Payout;
  readonly channel?: Channel;
  readonly onDone: () => void;
}

function Deeds({ api, payout, channel, onDone }: DeedsProps) {
  if (!isOpenPayout(payout)) return null;
  const retry = async (key: string) => {
    await api.retryPayout(payout.id, { key });
    onDone();
    return words.payouts.isAsked;
  };
  return (
    <div class="row">
      {channel?.url && (
        <Confirmed
          title={words.payouts.askNow}
          consequence={words.payouts.askNowWill(channel.name)}
          onConfirm={retry}
        />
      )}
      <ResolveForm api={api} payout={payout} onDone={onDone} />
    </div>
  );
}

type Outcome = keyof typeof words.payouts.outcomes;

interface ResolveProps {
  readonly api: ApiClient;
  readonly payout: Payout;
  readonly onDone: () => void;
}

function ResolveForm({ api, payout: { id, lastSentAt: newest }, onDone }: ResolveProps) {
  /** Evidence may be older than a call that was sent while this page was open. */
  const [lastSentAt] = useState(newest);
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const [evidence, setEvidence] = useState('');
  const [externalId, setExternalId] = useState('');
  const deed = useDeed();
  const resolve = () =>
    deed.run(async (key) => {
      if (outcome === '') return undefined;
      const body = {
        outcome,
        evidence,
        ...(externalId && { externalId }),
        ...(lastSentAt && { lastSentAt }),
      };
      await api.resolvePayout(id, body, { key });
      onDone();
      notify({ text: words.payouts.resolveAsked, to: ['approvals'] });
      return undefined;
    });
  return (
    <FormDialog
      title={words.payouts.resolve}
      intro={words.payouts.resolveWill}
      submit={words.payouts.askForApproval}
      deed={deed}
      onSubmit={resolve}
    >
      <Choice
        label={words.payouts.how}
        value={outcome}
        required
        options={{ '': '–', ...words.payouts.outcomes }}
        onValue={(value) => setOutcome(value as Outcome | '')}
      />
      <Field
        label={words.labels.evidence}
        value={evidence}
        onValue={setEvidence}
        hint={
          lastSentAt
            ? words.payouts.evidenceAfter(momentText(lastSentAt), words.payouts.evidenceHint)
            : words.payouts.evidenceHint
        }
      />
      <Field
        label={words.labels.externalId}
        value={externalId}
        required={false}
        onValue={setExternalId}
        hint={words.payouts.externalHint}
      />
    </FormDialog>
  );
}
