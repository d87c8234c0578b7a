import type { ComponentChildren } from 'preact';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may, type Person } from '../../session/staff';
import { Link } from '../../ui/address';
import { useAnswer } from '../../ui/asking';
import { spanText } from '../../ui/facts';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';

type Check = Schema<'PreflightCheckDto'>;
type Phase = Schema<'ActivityDto'>['phase'];

/** Each request adds up all packets of the activity. */
const POLL_MS = 10_000;
const WORST_FIRST: readonly Check['verdict'][] = ['stop', 'warn', 'ok'];
/** Nobody taps any more once a rain is closed. */
const OF_TAPS: readonly Check['name'][] = ['packets', 'tickets', 'memory', 'rehearsal'];
const SIGNS = { stop: '✕', warn: '!', ok: '✓' } as const;

interface PreflightProps {
  readonly api: ApiClient;
  readonly person: Person;
  readonly activity: Schema<'ActivityDto'>;
}

/** Everything that an activity needs on its day; once it is open, whatever stops it. */
export function Preflight({ api, person, activity: { id: activityId, phase, sponsorId } }: PreflightProps) {
  const { value, fault } = useAnswer(
    (options) => api.checkPreflight(activityId, options),
    [api, activityId],
    { everyMs: POLL_MS },
  );
  const said = words.preflight;
  const isAhead = phase === 'scheduled';
  const checks = value?.checks.filter((check) => isAhead || isWarning(check, phase));
  if (!isAhead && !checks?.length) return null;
  const worst = checks && worstFirst(checks)[0]?.verdict;
  return (
    <section class="preflight" aria-label={said.title}>
      <h2>
        {said.title} {worst && <span class={`phase ${worst}`}>{said.verdicts[worst]}</span>}
      </h2>
      {worst === 'stop' && <p class="complaint">{isAhead ? said.opensAnyway : said.stillStops}</p>}
      <Complaint fault={fault} />
      {checks && (
        <ul>
          {worstFirst(checks).map((check) => (
            <Line key={check.name} check={check}>
              {check.code === 'tickets.no_key' && may(person, 'sponsor') && (
                <Link to={['ticket-keys', sponsorId]}>{words.ticketKeys.openPage}</Link>
              )}
            </Line>
          ))}
        </ul>
      )}
      {isAhead && value?.payout && <p>{words.split.paidOutIn(spanText(value.payout.seconds))}</p>}
    </section>
  );
}

const isWarning = ({ name, verdict }: Check, phase: Phase): boolean =>
  verdict !== 'ok' && !(phase === 'closed' && OF_TAPS.includes(name));

const worstFirst = (checks: readonly Check[]): readonly Check[] =>
  [...checks].sort((a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict));

interface LineProps {
  readonly check: Check;
  /** A link to where it can be corrected. */
  readonly children?: ComponentChildren;
}

function Line({ check: { name, verdict, code, figures }, children }: LineProps) {
  const said = words.preflight;
  const reason: string | ((...figures: string[]) => string) = said.reasons[code];
  return (
    <li class={verdict}>
      <span role="img" aria-label={said.verdicts[verdict]}>
        {SIGNS[verdict]}
      </span>
      <strong>{said.checks[name]}</strong>
      <span>
        {typeof reason === 'string' ? reason : reason(...figures)} {children}
      </span>
    </li>
  );
}
