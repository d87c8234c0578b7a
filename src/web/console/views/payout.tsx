import { useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../libs/client';
import { Link } from '../address';
import { useAnswer, useDeed } from '../asking';
import { Facts } from '../facts';
import { Choice, Complaint, Confirmed, Field, Form, When } from '../parts';
import { type Channel, useChannels } from '../payouts/channels-at-hand';
import { FindingDeeds } from '../payouts/finding-deeds';
import { Story } from '../payouts/story';
import { Tabs } from '../payouts/tabs';
import { STATES } from '../payouts/words';
import { may, type Person } from '../staff';
import type { ViewProps } from '../view-props';

type Payout = Schema<'PayoutStoryDto'>;

const LOOK_MS = 2_000;
/** Staff may ask for it again, or find out how it ended. */
const OPEN: readonly Payout['state'][] = ['reserved', 'unknown', 'processing', 'needs-user'];

/** One payout and all that has become of it. */
export function PayoutView({ api, person, id }: ViewProps & { readonly id: string }) {
  const payout = useAnswer((signal) => api.get('/v1/payouts/{id}', { path: { id }, signal }), [api, id], {
    everyMs: LOOK_MS,
  });
  const channels = useChannels(api);
  const channel = channels.value?.find((one) => one.id === payout.value?.channelId);
  return (
    <>
      <h1>
        Payout {id}{' '}
        {payout.value && (
          <span class={`phase payout-${payout.value.state}`}>{STATES[payout.value.state]}</span>
        )}
      </h1>
      <Tabs current="" />
      <Complaint fault={payout.fault} />
      {payout.value && <Standing payout={payout.value} channel={channel} />}
      {payout.value && <Story payout={payout.value} />}
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
      label="Payout"
      facts={{
        Amount: `${amount} ${currency}`,
        User: <Link to={['wallets', userId]}>{userId}</Link>,
        Channel: <Link to={['payouts', 'channels', channelId]}>{channel?.name ?? channelId}</Link>,
        Attempt: attempt,
        'Asked for': <When at={createdAt} />,
        Ended: endedAt === null ? undefined : <When at={endedAt} />,
        'Their payment': externalId ?? undefined,
        Code: code ?? undefined,
        'The user has to': action ?? undefined,
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
  const { id, state, userId, findings } = payout;
  const open = findings.filter(({ endedAt }) => endedAt === null);
  if (person.sub === userId) return <p>It is your own, so others decide about it.</p>;
  const retry = async (key: string) => {
    await api.post('/v1/payouts/{id}/retry', { path: { id }, key });
    onDone();
    return 'The channel is asked now.';
  };
  return (
    <section class="deeds" aria-label="What can be done">
      {OPEN.includes(state) && channel?.url && (
        <Confirmed
          title="Ask the channel now"
          consequence={`${channel.name} is called without a further wait. What may have been sent is asked for, and never paid a second time.`}
          onConfirm={retry}
        />
      )}
      {open.map((finding) => (
        <FindingDeeds key={finding.id} {...{ api, finding, onDone }} />
      ))}
      {OPEN.includes(state) && <ResolveForm api={api} payout={payout} onDone={onDone} />}
    </section>
  );
}

const OUTCOMES = { paid: 'It was paid', refused: 'It was not paid, and never will be' };

interface ResolveProps {
  readonly api: ApiClient;
  readonly payout: Payout;
  readonly onDone: () => void;
}

function ResolveForm({ api, payout: { id, lastSentAt: newest }, onDone }: ResolveProps) {
  /** Evidence may be older than what was sent while this page was open. */
  const [lastSentAt] = useState(newest);
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>('paid');
  const [evidence, setEvidence] = useState('');
  const [externalId, setExternalId] = useState('');
  const deed = useDeed();
  const resolve = () =>
    deed.run(async (key) => {
      const body = {
        ...{ outcome, evidence },
        ...(externalId && { externalId }),
        ...(lastSentAt && { lastSentAt }),
      };
      await api.post('/v1/payouts/{id}/resolve', { path: { id }, body, key });
      onDone();
      return 'Nothing has changed yet: somebody else has to approve it, under Approvals.';
    });
  return (
    <Form
      title="The channel does not say how it ended"
      submit="Ask for approval"
      deed={deed}
      onSubmit={() => void resolve()}
    >
      <Choice
        label="How it ended"
        value={outcome}
        options={OUTCOMES}
        onValue={(value) => setOutcome(value as keyof typeof OUTCOMES)}
      />
      <Field
        label="Evidence"
        value={evidence}
        onValue={setEvidence}
        hint={
          lastSentAt
            ? `Gathered after ${lastSentAt}, when it was last sent. Such as: bank statement 2031-02-03, line 17`
            : 'Such as: bank statement 2031-02-03, line 17'
        }
      />
      <Field
        label="Their payment"
        value={externalId}
        required={false}
        onValue={setExternalId}
        hint="The channel's name for it."
      />
    </Form>
  );
}
