import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { useFreshness } from '../../ui/as-of';
import { type Asked, useAnswer } from '../../ui/asking';
import { spanText } from '../../ui/facts';
import { words } from '../../words';

const POLL_MS = 1_000;
/** Money that waits longer than this is delayed. */
const UNPAID_SECONDS_MAX = 5;
const UNDECIDED_SECONDS_MAX = 10;
/** A worker signs once a second. */
const WORKER_UNSEEN_SECONDS_MAX = 2;
const MEMORY_SHARE_MAX = 0.8;

type Overview = Schema<'OverviewDto'>;

interface SignProps {
  readonly isGood: boolean;
  readonly children: string;
}

export function Sign({ isGood, children }: SignProps) {
  return <li class={isGood ? 'sign' : 'sign bad'}>{children}</li>;
}

/** The claims in the panels below the signs, by the state of their money. */
export interface ShownClaims {
  readonly pending: number;
  readonly dead: number;
}

interface SignsProps {
  readonly shown: ShownClaims;
  readonly api: ApiClient;
  readonly overview: Asked<Overview | undefined>;
  readonly children?: ComponentChildren;
}

/**
 * One sentence for each sign. A viewer need not know what is usual: the unusual is red, and what is
 * not known is not green.
 */
export function Signs({ api, overview, shown, children }: SignsProps) {
  const freshness = useFreshness(overview);
  return (
    <>
      <ul class="signs" aria-label={words.wall.signs}>
        <Engines api={api} />
        {children}
      </ul>
      {overview.value && (
        <ul class={`signs polled ${freshness?.age}`} aria-label={words.wall.work}>
          <SystemSigns system={overview.value.system} />
          <JournalSigns journal={overview.value.journal} />
          <MoneySigns money={overview.value.money} shown={shown} />
        </ul>
      )}
    </>
  );
}

/** Shows which engines answer, and the time that the API takes to report it. */
function Engines({ api }: { readonly api: ApiClient }) {
  const health = useAnswer((options) => timed(() => api.checkDependencies(options)), [api], {
    everyMs: POLL_MS,
  });
  const freshness = useFreshness(health);
  if (health.fault && !health.fault.hangs) return <Sign isGood={false}>{health.fault.sentence}</Sign>;
  if (freshness?.age === 'stale')
    return <Sign isGood={false}>{words.wall.unanswered(spanText(freshness.seconds))}</Sign>;
  if (!health.value) return null;
  const { value, tookMs } = health.value;
  return <Sign isGood>{words.wall.engines(Object.keys(value.checks).join(', '), tookMs)}</Sign>;
}

async function timed<T>(ask: () => Promise<T>): Promise<{ value: T; tookMs: number }> {
  const startedAt = performance.now();
  const value = await ask();
  return { value, tookMs: Math.round(performance.now() - startedAt) };
}

function SystemSigns({ system }: Pick<Overview, 'system'>) {
  const said = words.wall;
  if (!system) return <Sign isGood={false}>{said.unknownSystem}</Sign>;
  const { takesWrites, memoryShare, clocksAgree, clockLeadSeconds } = system;
  return (
    <>
      <WorkerSign seconds={system.workerSeenSecondsAgo} />
      {!takesWrites && <Sign isGood={false}>{said.noWrites}</Sign>}
      {memoryShare > MEMORY_SHARE_MAX && (
        <Sign isGood={false}>{said.memory(Math.round(memoryShare * 100))}</Sign>
      )}
      {!clocksAgree && clockLeadSeconds !== null && (
        <Sign isGood={false}>{said.clocks(clockLeadSeconds.toFixed(1))}</Sign>
      )}
    </>
  );
}

function WorkerSign({ seconds }: { readonly seconds: number | null }) {
  const said = words.wall;
  if (seconds === null) return <Sign isGood={false}>{said.neverWorker}</Sign>;
  const isSeen = seconds < WORKER_UNSEEN_SECONDS_MAX;
  return <Sign isGood={isSeen}>{isSeen ? said.worker : said.noWorker(spanText(seconds))}</Sign>;
}

function JournalSigns({ journal }: Pick<Overview, 'journal'>) {
  if (!journal) return <Sign isGood={false}>{words.wall.unknownReservations}</Sign>;
  const { entries, oldestSeconds, quarantined } = journal;
  const undecided = words.wall.undecided(entries, spanText(oldestSeconds));
  return (
    <>
      <Sign isGood={oldestSeconds < UNDECIDED_SECONDS_MAX}>
        {entries === 0 ? words.wall.decided : undecided}
      </Sign>
      {quarantined > 0 && <Sign isGood={false}>{words.wall.unreadable(quarantined)}</Sign>}
    </>
  );
}

function MoneySigns({ money, shown }: Pick<Overview, 'money'> & Pick<SignsProps, 'shown'>) {
  if (!money) return <Sign isGood={false}>{words.wall.unknownMoney}</Sign>;
  const { oldestUnpaidSeconds, deadLetters, undelivered, approvals } = money;
  // The panels are polled apart from the signs, and may know of more.
  const unpaid = Math.max(money.unpaid, shown.pending);
  const waiting = words.wall.unpaid(unpaid, spanText(oldestUnpaidSeconds));
  return (
    <>
      <Sign isGood={oldestUnpaidSeconds < UNPAID_SECONDS_MAX}>
        {unpaid === 0 ? words.wall.allPaid : waiting}
      </Sign>
      {deadLetters > 0 && <Sign isGood={false}>{words.wall.deadLetters(deadLetters)}</Sign>}
      {deadLetters + shown.dead === 0 && <Sign isGood>{words.wall.noDeadLetters}</Sign>}
      {undelivered > 0 && <Sign isGood={false}>{words.wall.undelivered(undelivered)}</Sign>}
      {approvals > 0 && <li class="sign asking">{words.wall.approvals(approvals)}</li>}
    </>
  );
}
