import type { ApiClient, Schema } from '../../../../../libs/client';
import { useAnswer } from '../../ui/asking';
import { When } from '../../ui/facts';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';

type Check = Schema<'PreflightCheckDto'>;

/** Each request adds up all packets of the activity. */
const POLL_MS = 10_000;
const WORST_FIRST: readonly Check['verdict'][] = ['stop', 'warn', 'ok'];
const SIGNS = { stop: '✕', warn: '!', ok: '✓' } as const;

/** Everything that an activity needs on its day, until it opens. */
export function Preflight({ api, activityId }: { readonly api: ApiClient; readonly activityId: string }) {
  const { value, fault } = useAnswer(
    (options) => api.checkPreflight(activityId, options),
    [api, activityId],
    { everyMs: POLL_MS },
  );
  const said = words.preflight;
  return (
    <section class="preflight" aria-label={said.title}>
      <h2>
        {said.title} {value && <span class={`phase ${value.verdict}`}>{said.verdicts[value.verdict]}</span>}
      </h2>
      <Complaint fault={fault} />
      {value && (
        <ul>
          {worstFirst(value.checks).map((check) => (
            <Line key={check.name} check={check} />
          ))}
        </ul>
      )}
      {value?.payout && (
        <p>
          {words.split.paidOutBy} <When at={value.payout.endsAt} />
        </p>
      )}
      {value?.verdict === 'stop' && <p class="complaint">{said.opensAnyway}</p>}
    </section>
  );
}

const worstFirst = (checks: readonly Check[]): readonly Check[] =>
  [...checks].sort((a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict));

function Line({ check: { name, verdict, code, figures } }: { readonly check: Check }) {
  const said = words.preflight;
  const reason: string | ((...figures: string[]) => string) = said.reasons[code];
  return (
    <li class={verdict}>
      <span role="img" aria-label={said.verdicts[verdict]}>
        {SIGNS[verdict]}
      </span>
      <strong>{said.checks[name]}</strong>
      <span>{typeof reason === 'string' ? reason : reason(...figures)}</span>
    </li>
  );
}
