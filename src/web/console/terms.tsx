import type { Schema } from '../../../libs/client';
import { ADMISSIONS } from './admission-form';
import { Facts } from './facts';
import { LABELS } from './labels';
import { When } from './parts';

type Activity = Schema<'ActivityDto'>;

/** Who may tap, how often one user may win, and when packets are released. */
export function Terms({ activity: { admission = 'open', limits, pace } }: { readonly activity: Activity }) {
  return (
    <Facts
      label="Terms"
      facts={{
        [LABELS.admission]: ADMISSIONS[admission],
        [LABELS['limits.perUserPerDay']]:
          limits?.perUserPerDay && `${limits.perUserPerDay}, days begin in ${limits.timeZone}`,
        [LABELS['limits.perUser']]: limits?.perUser,
        [LABELS['limits.group']]: limits?.group,
        [LABELS.pace]: pace && <Pace pace={pace} />,
      }}
    />
  );
}

function Pace({ pace }: { readonly pace: NonNullable<Activity['pace']> }) {
  if (pace.kind === 'waves') return <>In waves: {pace.waves.length}</>;
  return (
    <>
      Evenly, all by <When at={pace.until ?? null} />
    </>
  );
}
