import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { type Asked, useAnswer } from '../../ui/asking';
import { spanText } from '../../ui/facts';
import { words } from '../../words';

const POLL_MS = 1_000;
/** Money that waits longer than this is delayed. */
const UNPAID_SECONDS_MAX = 5;
const UNDECIDED_SECONDS_MAX = 10;

type Overview = Schema<'OverviewDto'>;

interface SignProps {
  readonly isGood: boolean;
  readonly children: string;
}

export function Sign({ isGood, children }: SignProps) {
  return <li class={isGood ? 'sign' : 'sign bad'}>{children}</li>;
}

interface SignsProps {
  readonly api: ApiClient;
  readonly overview: Asked<Overview | undefined>;
  readonly children?: ComponentChildren;
}

/** One sentence for each sign. A viewer need not know what is usual: the unusual is red. */
export function Signs({ api, overview, children }: SignsProps) {
  const { journal, money } = overview.value ?? {};
  return (
    <ul class="signs" aria-label={words.wall.signs}>
      <Engines api={api} />
      {journal && <JournalSigns journal={journal} />}
      {money && <MoneySigns money={money} />}
      {children}
    </ul>
  );
}

/** Shows which engines answer, and the time that the API takes to report it. */
function Engines({ api }: { readonly api: ApiClient }) {
  const health = useAnswer((signal) => timed(() => api.checkDependencies({ signal })), [api], {
    everyMs: POLL_MS,
  });
  if (health.fault) return <Sign isGood={false}>{health.fault.sentence}</Sign>;
  if (!health.value) return null;
  const { value, tookMs } = health.value;
  return <Sign isGood>{words.wall.engines(Object.keys(value.checks).join(', '), tookMs)}</Sign>;
}

async function timed<T>(ask: () => Promise<T>): Promise<{ value: T; tookMs: number }> {
  const startedAt = performance.now();
  const value = await ask();
  return { value, tookMs: Math.round(performance.now() - startedAt) };
}

function JournalSigns({ journal }: { readonly journal: NonNullable<Overview['journal']> }) {
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

function MoneySigns({ money }: { readonly money: NonNullable<Overview['money']> }) {
  const { unpaid, oldestUnpaidSeconds, deadLetters, undelivered, approvals } = money;
  const waiting = words.wall.unpaid(unpaid, spanText(oldestUnpaidSeconds));
  return (
    <>
      <Sign isGood={oldestUnpaidSeconds < UNPAID_SECONDS_MAX}>
        {unpaid === 0 ? words.wall.allPaid : waiting}
      </Sign>
      <Sign isGood={deadLetters === 0}>
        {deadLetters === 0 ? words.wall.noDeadLetters : words.wall.deadLetters(deadLetters)}
      </Sign>
      {undelivered > 0 && <Sign isGood={false}>{words.wall.undelivered(undelivered)}</Sign>}
      {approvals > 0 && <li class="sign asking">{words.wall.approvals(approvals)}</li>}
    </>
  );
}
