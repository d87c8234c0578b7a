import type { ComponentChildren } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { Link, refine } from '../../ui/address';
import { Polled, useFreshness } from '../../ui/as-of';
import { type Asked, useAnswer } from '../../ui/asking';
import { useNow } from '../../ui/now';
import { words } from '../../words';
import { timeText } from '../../words/language';
import { atProof, isOver, useProgress, useProof, useTapFigures } from '../activities/live/live';
import { ProofBar } from '../activities/live/proof-bar';
import { Phase } from '../activities/phase';
import type { ViewProps } from '../view-props';
import { troubleOf } from '../payouts/channels/channel-state';
import { Alarm } from './alarm';
import { Corrections } from './corrections';
import { Faults } from './faults';
import { NextRains } from './next-rains';
import { FIRST, inOrder, withFirst } from './order';
import { Outbound } from './outbound';
import { useEngineSigns } from './engine-signs';
import { bad, type Sign } from './sign';
import { Signs } from './signs';
import { type ShownClaims, systemSigns } from './system-signs';

type Activity = Schema<'ActivityDto'>;
type Claims = Schema<'ReconciliationDto'>['claims'];
type OnClaims = (activityId: string, claims: Claims | undefined) => void;

const POLL_MS = 1_000;
const LIST_MS = 3_000;
const CLOCK_MS = 1_000;
/** The numbers that fit on a page and, without scrolling, on a screen. */
const RAINS_MAX = 12;
const KIOSK_RAINS_MAX = 4;

/** The part of the address that leaves out the navigation. */
export const KIOSK = 'kiosk';

/** A page for a big screen during the rain. It shows in red whatever an operator must see. */
export function WallView({ api, person, address: { query }, settings }: ViewProps) {
  const rains = useAnswer((options) => api.readActivitiesNow(options), [api], { everyMs: LIST_MS });
  const overview = useAnswer(
    async (options) => (may(person, 'inspect') ? api.readOverview(options) : undefined),
    [api, person.role],
    { everyMs: POLL_MS },
  );
  const [shown, onClaims] = useShownClaims();
  const isKiosk = query[KIOSK] !== undefined;
  const asked = [
    ...useEngineSigns(api),
    ...useStaleSign(rains, bad('list', words.wall.stale)),
    ...useStaleSign(overview, bad('overview', words.signs.stale)),
  ];
  const system = overview.value
    ? systemSigns(overview.value, shown, (alert) => `${settings.api}/docs/runbook#${alert.toLowerCase()}`)
    : [];
  const rainsMax = isKiosk ? KIOSK_RAINS_MAX : RAINS_MAX;
  const outbound = overview.value?.outbound ?? [];
  const isAnyStopped = outbound.some(troubleOf);
  const payouts = <Outbound key="payouts" {...{ api, person, outbound }} onChanged={overview.ask} />;
  return (
    <div class={isKiosk ? 'wall kiosk' : 'wall'}>
      <Title isKiosk={isKiosk}>
        <Alarm signs={[...asked, ...system]} />
      </Title>
      <Signs {...{ asked, overview, system }} />
      {settings.faults !== undefined && <Faults url={settings.faults} />}
      <div class="wall-rains">
        {rains.value && (
          <RunningRains {...{ api, rainsMax, onClaims }} rains={rains.value} first={query[FIRST]} />
        )}
      </div>
      <div class="wall-rest">
        {/* What is stopped comes before what opens next. */}
        {isAnyStopped && payouts}
        <NextRains rains={rains} />
        {outbound.length > 0 && !isAnyStopped && payouts}
        {overview.value && <Corrections corrections={overview.value.corrections} />}
      </div>
    </div>
  );
}

/** Adds up the claims of all panels, so that no sign says of all wins what a panel shows otherwise. */
function useShownClaims(): readonly [ShownClaims, OnClaims] {
  const [panels, setPanels] = useState<Readonly<Record<string, Claims | undefined>>>({});
  const onClaims = useCallback<OnClaims>(
    (id, claims) => setPanels((before) => ({ ...before, [id]: claims })),
    [],
  );
  const sum = (state: keyof ShownClaims) =>
    Object.values(panels).reduce((total, claims) => total + (claims?.[state] ?? 0), 0);
  return [{ pending: sum('pending'), dead: sum('dead') }, onClaims];
}

const useStaleSign = (asked: Asked<unknown>, sign: Sign): readonly Sign[] =>
  useFreshness(asked)?.age === 'stale' ? [sign] : [];

/** The name of the page, the time, and the way to a screen without navigation, and back. */
function Title({ isKiosk, children }: { readonly isKiosk: boolean; readonly children: ComponentChildren }) {
  const now = new Date(performance.timeOrigin + useNow(CLOCK_MS));
  const toggle = () => {
    refine({ [KIOSK]: isKiosk ? '' : 'on' });
    void (isKiosk ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(
      // The navigation is gone all the same.
      () => undefined,
    );
  };
  return (
    <div class="row wall-title">
      <h1>{words.wall.title}</h1>
      <time>{timeText(now)}</time>
      {children}
      <button onClick={toggle}>{isKiosk ? words.wall.leaveFullScreen : words.wall.fullScreen}</button>
    </div>
  );
}

interface RunningRainsProps {
  readonly api: ApiClient;
  readonly rains: Schema<'RainsNowDto'>;
  readonly rainsMax: number;
  readonly first?: string;
  readonly onClaims: OnClaims;
}

function RunningRains({
  api,
  rains: { running, runningCount },
  rainsMax,
  first,
  onClaims,
}: RunningRainsProps) {
  if (running.length === 0) return <p>{words.wall.nothing}</p>;
  const shown = inOrder(running, first).slice(0, rainsMax);
  return (
    <>
      <div class="rains">
        {shown.map((activity) => (
          <RainPanel key={activity.id} {...{ api, activity, first, onClaims }} isAlone={shown.length === 1} />
        ))}
      </div>
      {runningCount > shown.length && (
        <p>
          <Link to={['activities']} query={{ phase: 'open' }}>
            {words.wall.more(runningCount - shown.length)}
          </Link>
        </p>
      )}
    </>
  );
}

interface RainPanelProps extends Pick<RunningRainsProps, 'api' | 'first' | 'onClaims'> {
  readonly activity: Activity;
  readonly isAlone: boolean;
}

function RainPanel({ api, activity: read, first, isAlone, onClaims }: RainPanelProps) {
  const { id, name } = read;
  const proof = useProof(api, read);
  const progress = useProgress(api, read);
  const activity = atProof(read, proof);
  const claims = proof.value?.claims;
  useLayoutEffect(() => onClaims(id, claims), [id, claims]);
  useLayoutEffect(() => () => onClaims(id, undefined), [id]);
  return (
    <article class={proof.fault ? 'rain-panel stale' : 'rain-panel'} aria-label={name}>
      <h2>
        <Link to={['activities', id]}>{name}</Link> <Phase activity={activity} />{' '}
        {!isAlone && (
          <button onClick={() => refine({ [FIRST]: withFirst(id, first) })}>{words.wall.putFirst}</button>
        )}
      </h2>
      {proof.fault && (
        <p class="complaint">
          {proof.value ? words.wall.lastProof(proof.fault.sentence) : proof.fault.sentence}
        </p>
      )}
      {proof.value && (
        <Polled asked={proof}>
          <ProofBar proof={proof.value} isPaidOut={Boolean(activity.payout)} />
          <Pace activity={activity} proof={proof.value} progress={progress} />
        </Polled>
      )}
    </article>
  );
}

interface PaceProps {
  readonly activity: Activity;
  readonly proof: Schema<'ReconciliationDto'>;
  readonly progress: Asked<Schema<'ProgressDto'>>;
}

/** The rates are of this moment, so late ones are left out. */
function Pace({ activity, proof: { packets, claims }, progress }: PaceProps) {
  const freshness = useFreshness(progress);
  const counted = useTapFigures(progress.value);
  const figures = freshness?.age === 'stale' || isOver(activity) ? undefined : counted;
  const said = words.wall;
  const answered = figures?.answeredInMs === undefined ? '' : said.answeredIn(figures.answeredInMs);
  return (
    <p>
      {(activity.payout ? said.wonSentOn : said.won)(packets.claimed, packets.total, claims.credited)}
      {figures && said.taps(figures.perSecond) + answered}
      {figures && said.wins(figures.winsPerSecond)}
    </p>
  );
}
