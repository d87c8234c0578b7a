import type { Schema } from '../../../../../../libs/client';
import { Choice, Field } from '../../../ui/form';
import { words } from '../../../words';

type Terms = Pick<Schema<'CreateActivityBody'>, 'admission' | 'limits'>;

/** The input of the form about the users who may tap, and how often they may win. */
export interface AdmissionDraft {
  readonly admission: NonNullable<Terms['admission']>;
  readonly perUserPerDay: string;
  readonly perUser: string;
  readonly group: string;
  readonly timeZone: string;
}

/** Days begin where the reader is, unless they say otherwise. */
export const EVERYONE: AdmissionDraft = {
  admission: 'open',
  perUserPerDay: '',
  perUser: '',
  group: '',
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

/** Leaves out empty fields. The API refuses wrong ones. */
export function admissionOf({ admission, perUserPerDay, perUser, group, timeZone }: AdmissionDraft): Terms {
  if (!perUserPerDay && !perUser) return { admission };
  const limits = {
    ...(perUserPerDay && { perUserPerDay: Number(perUserPerDay), ...(timeZone && { timeZone }) }),
    ...(perUser && { perUser: Number(perUser) }),
    ...(group && { group }),
  };
  return { admission, limits };
}

/** Fills the form from the terms of an activity. */
export const admissionDraftOf = ({ admission = 'open', limits = {} }: Terms): AdmissionDraft => ({
  ...EVERYONE,
  ...limits,
  admission,
  perUserPerDay: String(limits.perUserPerDay ?? ''),
  perUser: String(limits.perUser ?? ''),
});

interface AdmissionFieldsProps {
  readonly draft: AdmissionDraft;
  readonly onDraft: (draft: AdmissionDraft) => void;
}

export function AdmissionFields({ draft, onDraft }: AdmissionFieldsProps) {
  const field = (name: 'perUserPerDay' | 'perUser' | 'group' | 'timeZone') => ({
    label: words.labels[`limits.${name}`],
    value: draft[name],
    required: false,
    onValue: (value: string) => onDraft({ ...draft, [name]: value }),
  });
  return (
    <>
      <Choice
        label={words.labels.admission}
        value={draft.admission}
        options={words.admission.kinds}
        onValue={(admission) => onDraft({ ...draft, admission: admission as AdmissionDraft['admission'] })}
      />
      <Field {...field('perUserPerDay')} inputMode="numeric" placeholder={words.admission.noLimit} />
      {draft.perUserPerDay && <Field {...field('timeZone')} hint={words.admission.timeZoneHint} />}
      <Field {...field('perUser')} inputMode="numeric" placeholder={words.admission.noLimit} />
      {(draft.perUserPerDay || draft.perUser) && (
        <Field {...field('group')} hint={words.admission.groupHint} />
      )}
    </>
  );
}
