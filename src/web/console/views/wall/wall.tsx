import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link } from '../../ui/address';
import { Polled, useFreshness } from '../../ui/as-of';
import { type Asked, type AskedWith, useAnswer } from '../../ui/asking';
import { words } from '../../words';
import { useProgress, useProof, useTapFigures } from '../activities/live/live';
import { ProofBar } from '../activities/live/proof-bar';
import { Phase } from '../activities/phase';
import type { ViewProps } from '../view-props';
import { Corrections } from './corrections';
import { Faults } from './faults';
import { Outbound } from './outbound';
import { Sign, Signs } from './signs';

type Activity = Schema<'ActivityDto'>;

const POLL_MS = 1_000;
const LIST_MS = 3_000;
/** The number that fits on a screen. */
const RAINS_MAX = 12;

/** One page for a big screen during the night. It shows in red what an operator must see. */
export function WallView({ api, person, settings: { faults } }: ViewProps) {
  const rains = useAnswer((options) => runningRains(api, options), [api], { everyMs: LIST_MS });
  const overview = useAnswer(
    async (options) => (may(person, 'inspect') ? api.readOverview(options) : undefined),
    [api, person.role],
    { everyMs: POLL_MS },
  );
  const freshness = useFreshness(rains);
  return (
    <div class="wall">
      <h1>{words.wall.title}</h1>
      <Signs api={api} overview={overview}>
        {freshness?.age === 'stale' && <Sign isGood={false}>{words.wall.stale}</Sign>}
      </Signs>
      {faults !== undefined && <Faults url={faults} />}
      {rains.value?.length === 0 && <p>{words.wall.nothing}</p>}
      <div class="rains">
        {rains.value?.map((activity) => (
          <RainPanel key={activity.id} api={api} activity={activity} />
        ))}
      </div>
      {overview.value?.outbound && overview.value.outbound.length > 0 && (
        <Outbound {...{ api, person }} outbound={overview.value.outbound} onChanged={overview.ask} />
      )}
      {overview.value && <Corrections corrections={overview.value.corrections} />}
    </div>
  );
}

async function runningRains(api: ApiClient, options: AskedWith): Promise<Activity[]> {
  const inPhase = (phase: Activity['phase']) => api.listActivities({ phase, limit: 100 }, options);
  const [open, soldOut] = await Promise.all([inPhase('open'), inPhase('sold-out')]);
  return [...open.items, ...soldOut.items].slice(0, RAINS_MAX);
}

function RainPanel({ api, activity }: { readonly api: ApiClient; readonly activity: Activity }) {
  const { id, name } = activity;
  const proof = useProof(api, activity);
  const progress = useProgress(api, activity);
  return (
    <article class={proof.fault ? 'rain-panel stale' : 'rain-panel'} aria-label={name}>
      <h2>
        <Link to={['activities', id]}>{name}</Link> <Phase activity={activity} />
      </h2>
      {proof.fault && (
        <p class="complaint">
          {proof.value ? words.wall.lastProof(proof.fault.sentence) : proof.fault.sentence}
        </p>
      )}
      {proof.value && (
        <Polled asked={proof}>
          <ProofBar proof={proof.value} />
          <Pace proof={proof.value} progress={progress} />
        </Polled>
      )}
    </article>
  );
}

interface PaceProps {
  readonly proof: Schema<'ReconciliationDto'>;
  readonly progress: Asked<Schema<'ProgressDto'>>;
}

/** The rates are of this moment, so late ones are left out. */
function Pace({ proof: { packets, claims }, progress }: PaceProps) {
  const freshness = useFreshness(progress);
  const counted = useTapFigures(progress.value);
  const figures = freshness?.age === 'stale' ? undefined : counted;
  const said = words.wall;
  const answered = figures?.answeredInMs === undefined ? '' : said.answeredIn(figures.answeredInMs);
  return (
    <p>
      {said.won(packets.claimed, packets.total, claims.credited)}
      {figures && said.taps(figures.perSecond) + answered}
      {figures && said.wins(figures.winsPerSecond)}
    </p>
  );
}
