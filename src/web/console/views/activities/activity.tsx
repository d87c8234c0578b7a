import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { Polled } from '../../ui/as-of';
import { useAnswer } from '../../ui/asking';
import { Confirmed } from '../../ui/confirmed';
import { Complaint } from '../../ui/outcome';
import { Tabs } from '../../ui/tabs';
import { NotThere } from '../../ui/not-there';
import { Unread } from '../../ui/unread';
import { words } from '../../words';
import { SeriesOf } from '../series/series';
import type { ViewProps } from '../view-props';
import { About, NeverOpened } from './about';
import { KeptWords } from './creation/kept-words';
import { ExtendForm } from './extend-form';
import { Exports } from './exports';
import { Fairness } from './fairness';
import { ActivityHistory } from './history/history';
import { ActivityProgress } from './live/activity-progress';
import { atProof, isOver, useProgress, useProof } from './live/live';
import { ProofBar } from './live/proof-bar';
import { neverOpened, Phase } from './phase';
import { PlayersPage } from './players-page';
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
  if (activity.fault?.isMissing) return <NotThere sentence={activity.fault.sentence} part="activities" />;
  return (
    <>
      {!activity.value && <h1>{words.activity.title(id)}</h1>}
      <Unread asked={activity} />
      {activity.value && <LiveActivity {...props} activity={activity.value} onChanged={activity.ask} />}
    </>
  );
}

interface LiveProps extends ViewProps {
  readonly activity: Activity;
  readonly onChanged: () => void;
}

type Tab = keyof typeof words.activity.tabs;

/** Its state and its money come first. Everything that someone may change has a tab of its own. */
function LiveActivity({ api, person, settings, address, activity: read, onChanged }: LiveProps) {
  const { id } = read;
  const proof = useProof(api, read);
  const progress = useProgress(api, read);
  const activity = atProof(read, proof);
  const askAll = () => {
    onChanged();
    proof.ask();
    progress.ask();
  };
  const isUnopened = neverOpened(activity);
  const { tabs } = words.activity;
  const isSponsor = may(person, 'sponsor');
  const isShown: Readonly<Record<Tab, boolean>> = {
    '': true,
    history: activity.phase !== 'scheduled' && !isUnopened,
    'top-up': isSponsor && !isOver(activity),
    players: isSponsor,
    fairness: true,
  };
  const shown = Object.fromEntries(Object.entries(tabs).filter(([tab]) => isShown[tab as Tab]));
  const [, , step = ''] = address.steps;
  const tab = step in shown ? (step as Tab) : '';
  return (
    <>
      <div class={tab === '' ? 'page-head' : 'page-head of-tab'}>
        <Heading activity={activity} />
        <About activity={activity} />
        {(isSponsor || isOver(activity)) && (
          <section class="row deeds" aria-label={words.common.deeds}>
            {isOver(activity) && (
              <Link class="button" to={['activities', id, 'report']}>
                {words.report.title}
              </Link>
            )}
            {isSponsor && <Deeds {...{ api, activity }} onChanged={askAll} proof={proof.value} />}
          </section>
        )}
      </div>
      {may(person, 'schedule') && <SeriesOf api={api} activityId={id} />}
      {activity.phase !== 'settled' && <Preflight {...{ api, person, activity }} />}
      <Tabs label={words.activity.parts} of={['activities', id]} tabs={shown} current={tab} />
      {tab === '' && (
        <>
          <Complaint fault={proof.fault} />
          <NeverOpened activity={activity} proof={proof.value} />
          <Polled asked={proof}>
            {proof.value && (
              <ProofBar proof={proof.value} isPaidOut={Boolean(activity.payout)} isBrief={isUnopened} />
            )}
            {!isUnopened && (
              <ActivityProgress activity={activity} proof={proof.value} progress={progress.value} />
            )}
          </Polled>
          <div class="panel terms">
            <h2>{words.terms.label}</h2>
            <Terms api={api} activity={activity} />
          </div>
          {!isUnopened && (
            <Winners api={api} activityId={id} userId={address.query.user ?? ''} proof={proof.value} />
          )}
          {!isOver(activity) && activity.phase !== 'scheduled' && (
            <WaitingList api={api} activityId={id} waiting={progress.value?.waiting ?? 0} />
          )}
          {may(person, 'inspect') && !activity.rehearsal && <Exports api={api} activityId={id} />}
        </>
      )}
      {tab === 'history' && <ActivityHistory key={id} api={api} activity={activity} />}
      {tab === 'top-up' && (
        <div class="top-up">
          <TopUpForm {...{ api, person, activity }} onDone={askAll} />
          <ExtendForm key={id} {...{ api, activity }} onDone={askAll} />
        </div>
      )}
      {tab === 'players' && <PlayersPage key={id} api={api} activity={activity} onDone={askAll} />}
      {tab === 'fairness' && (
        <Fairness api={api} activity={activity} kept={new KeptWords(settings.api, person.sub)} />
      )}
    </>
  );
}

function Heading({ activity }: { readonly activity: Activity }) {
  return (
    <h1>
      {activity.name} <Phase activity={activity} />
    </h1>
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
    <>
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
      {!isOver(activity) && phase !== 'scheduled' && (
        <Confirmed
          title={words.activity.close}
          isDangerous
          typed={name}
          consequence={words.activity.closeWill(rest, sponsorId)}
          onConfirm={close}
        />
      )}
    </>
  );
}
