import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer, useDeed } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { Facts, When } from '../../ui/facts';
import { Choice, Field, Form } from '../../ui/form';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { momentText } from '../../words/language';
import type { ViewProps } from '../view-props';
import { WalletLink } from '../wallets/wallet-link';
import { type Channel, useChannels } from './channels/channels-at-hand';
import { FindingDeeds } from './finding-deeds';
import { isOpenPayout, PayoutState } from './payout-state';
import { PayoutStory } from './payout-story';
import { PayoutTabs } from './tabs';

type Payout = Schema<'PayoutStoryDto'>;

const POLL_MS = 2_000;

/** One payout and all that has become of it. */
export function PayoutView({ api, person, id }: ViewProps & { readonly id: string }) {
  const payout = useAnswer((options) => api.readPayout(id, options), [api, id], { everyMs: POLL_MS });
  const channels = useChannels(api);
  const channel = channels.value?.find((one) => one.id === payout.value?.channelId);
  return (
    <>
      <h1>
        {words.payouts.title(id)} {payout.value && <PayoutState state={payout.value.state} />}
      </h1>
      <PayoutTabs current="" />
      <Unread asked={payout} part="payouts" />
      {payout.value && <Standing payout={payout.value} channel={channel} />}
      {payout.value && <PayoutStory payout={payout.value} />}
      {payout.value && may(person, 'manage-money') && (
        <Deeds {...{ api, person, channel }} payout={payout.value} onDone={payout.ask} />
      )}
    </>
  );
}

function Standing({ payout, channel }: { readonly payout: Payout; readonly channel?: Channel }) {
  const { userId, amount, currency, channelId, attempt, externalId, code, action, createdAt, endedAt } =
    payout;
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
        [words.payouts.attempt]: attempt,
        [words.payouts.asked]: <When at={createdAt} />,
        [words.common.ended]: endedAt === null ? undefined : <When at={endedAt} />,
        [words.labels.externalId]: externalId ?? undefined,
        [words.payouts.code]: code ?? undefined,
        [words.payouts.action]: action ?? undefined,
      }}
    />
  );
}

interface DeedsProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly payout: Payout;
  readonly channel?: Channel;
  readonly onDone: () => void;
}

function Deeds({ api, person, payout, channel, onDone }: DeedsProps) {
  const { id, userId, findings } = payout;
  const open = findings.filter(({ endedAt }) => endedAt === null);
  if (person.sub === userId) return <p>{words.payouts.own}</p>;
  const retry = async (key: string) => {
    await api.retryPayout(id, { key });
    onDone();
    return words.payouts.isAsked;
  };
  return (
    <section class="deeds" aria-label={words.common.deeds}>
      {isOpenPayout(payout) && channel?.url && (
        <Confirmed
          title={words.payouts.askNow}
          consequence={words.payouts.askNowWill(channel.name)}
          onConfirm={retry}
        />
      )}
      {open.map((finding) => (
        <FindingDeeds key={finding.id} {...{ api, finding, onDone }} />
      ))}
      {isOpenPayout(payout) && <ResolveForm api={api} payout={payout} onDone={onDone} />}
    </section>
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
      return words.payouts.resolveAsked;
    });
  return (
    <Form
      isMain={false}
      title={words.payouts.resolve}
      submit={words.payouts.askForApproval}
      deed={deed}
      onSubmit={() => void resolve()}
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
    </Form>
  );
}
