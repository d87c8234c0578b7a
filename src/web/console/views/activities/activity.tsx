import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { Polled } from '../../ui/as-of';
import { useAnswer } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { When } from '../../ui/facts';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { Exports } from './exports';
import { Fairness } from './fairness';
import { ActivityProgress } from './live/activity-progress';
import { useProgress, useProof } from './live/live';
import { ProofBar } from './live/proof-bar';
import { LookForm } from './look-form';
import { endOf, Phase } from './phase';
import { Preflight } from './preflight';
import { Terms } from './terms/terms';
import { TopUpForm } from './top-up-form';
import { WaitingList } from './waiting-list';
import { Winners } from './winners';

type Activity = Schema<'ActivityDto'>;
type Proof = Schema<'ReconciliationDto'>;

const LIVE_MS = 1_000;

/** One activity, updated every second. */
export function ActivityView(props: ViewProps & { readonly id: string }) {
  const { api, id } = props;
  const activity = useAnswer((options) => api.readActivity(id, options), [api, id], { everyMs: LIVE_MS });
  return (
    <>
      <Complaint fault={activity.fault} />
      {activity.value && <LiveActivity {...props} activity={activity.value} onChanged={activity.ask} />}
    </>
  );
}

interface LiveProps extends ViewProps {
  readonly activity: Activity;
  readonly onChanged: () => void;
}

function LiveActivity({ api, person, address: { query }, activity, onChanged }: LiveProps) {
  const { id } = activity;
  const proof = useProof(api, activity);
  const progress = useProgress(api, activity);
  const askAll = () => {
    onChanged();
    proof.ask();
    progress.ask();
  };
  return (
    <>
      <Heading activity={activity} />
      {activity.phase === 'scheduled' && <Preflight api={api} activityId={id} />}
      <Complaint fault={proof.fault} />
      <Polled asked={proof}>
        {proof.value && <ProofBar proof={proof.value} />}
        <ActivityProgress proof={proof.value} progress={progress.value} />
      </Polled>
      <div class="panel">
        <Terms api={api} activity={activity} />
      </div>
      {may(person, 'sponsor') && <Deeds {...{ api, activity }} onChanged={askAll} proof={proof.value} />}
      {may(person, 'inspect') && <Exports api={api} activityId={id} />}
      <Winners api={api} activityId={id} userId={query.user ?? ''} />
      <WaitingList api={api} activityId={id} />
      <Fairness api={api} activityId={id} />
    </>
  );
}

function Heading({ activity }: { readonly activity: Activity }) {
  const { id, name, sponsorId, totalAmount, currency, packetCount, opensAt, closesAt, cancelled } = activity;
  const end = endOf(activity);
  const said = words.activity;
  return (
    <>
      <h1>
        {name} <Phase activity={activity} />
      </h1>
      <p>
        {said.about(id, `${totalAmount} ${currency}`, sponsorId, packetCount)}
        {cancelled ? said.planned : said.from}
        <When at={opensAt} />
        {said.to}
        <When at={cancelled ? closesAt : end} />
        {cancelled && (
          <>
            {said.cancelledAt}
            <When at={activity.closedAt} />
          </>
        )}
        {!cancelled && end !== closesAt && said.early}
        {said.stop}
      </p>
    </>
  );
}

interface DeedsProps {
  readonly api: ApiClient;
  readonly activity: Activity;
  readonly proof?: Proof;
  readonly onChanged: () => void;
}

function Deeds({ api, activity, proof, onChanged }: DeedsProps) {
  const { id, name, phase, sponsorId, currency, totalAmount } = activity;
  const rest = proof ? `${proof.unclaimed} ${currency}` : words.activity.rest;
  const isOver = phase === 'closed' || phase === 'settled';
  const close = async (key: string) => {
    await api.closeActivity(id, { key });
    onChanged();
    return words.activity.isClosed;
  };
  const cancel = async (key: string) => {
    await api.cancelActivity(id, { key });
    onChanged();
    return words.activity.isCancelled;
  };
  return (
    <section class="deeds" aria-label={words.common.deeds}>
      <div class="row">
        <Link class="button" to={['activities', 'new']} query={{ like: id }}>
          {words.activity.another}
        </Link>
        {phase === 'scheduled' && (
          <Confirmed
            title={words.activity.cancel}
            dismiss={words.activity.keep}
            isDangerous
            typed={name}
            consequence={words.activity.cancelWill(`${totalAmount} ${currency}`, sponsorId)}
            onConfirm={cancel}
          />
        )}
        {!isOver && (
          <Confirmed
            title={words.activity.close}
            isDangerous
            typed={name}
            consequence={words.activity.closeWill(rest, sponsorId)}
            onConfirm={close}
          />
        )}
      </div>
      {!isOver && <TopUpForm api={api} activityId={id} onDone={onChanged} />}
      <LookForm key={id} api={api} activity={activity} onDone={onChanged} />
    </section>
  );
}
