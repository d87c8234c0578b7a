import type { Schema } from '../../../libs/client';
import { Facts } from './facts';
import { When } from './parts';
import { words } from './words';

type Activity = Schema<'ActivityDto'>;

/** Who may tap, how often one user may win, and when packets are released. */
export function Terms({ activity: { admission = 'open', limits, pace } }: { readonly activity: Activity }) {
  return (
    <Facts
      label={words.terms.label}
      facts={{
        [words.labels.admission]: words.admission.kinds[admission],
        [words.labels['limits.perUserPerDay']]:
          limits?.perUserPerDay && words.terms.perDay(limits.perUserPerDay, limits.timeZone ?? 'UTC'),
        [words.labels['limits.perUser']]: limits?.perUser,
        [words.labels['limits.group']]: limits?.group,
        [words.labels.pace]: pace && <Pace pace={pace} />,
      }}
    />
  );
}

function Pace({ pace }: { readonly pace: NonNullable<Activity['pace']> }) {
  if (pace.kind === 'waves') return <>{words.terms.waves(pace.waves.length)}</>;
  return (
    <>
      {words.terms.even}
      <When at={pace.until ?? null} />
    </>
  );
}
