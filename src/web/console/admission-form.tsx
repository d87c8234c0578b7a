import type { Schema } from '../../../libs/client';
import { LABELS } from './labels';
import { Choice, Field } from './parts';

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
export const EVERYBODY: AdmissionDraft = {
  ...{ admission: 'open', perUserPerDay: '', perUser: '', group: '' },
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
};

export const ADMISSIONS = { open: 'Everybody', ticket: 'Users with a ticket of the sponsor' };

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
export const draftOf = ({ admission = 'open', limits = {} }: Terms): AdmissionDraft => ({
  ...EVERYBODY,
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
    label: LABELS[`limits.${name}`],
    value: draft[name],
    required: false,
    onValue: (value: string) => onDraft({ ...draft, [name]: value }),
  });
  return (
    <>
      <Choice
        label={LABELS.admission}
        value={draft.admission}
        options={ADMISSIONS}
        onValue={(admission) => onDraft({ ...draft, admission: admission as AdmissionDraft['admission'] })}
      />
      <Field {...field('perUserPerDay')} inputMode="numeric" hint="Empty: as many as they can." />
      {draft.perUserPerDay && <Field {...field('timeZone')} hint="Such as Asia/Shanghai. Empty: UTC." />}
      <Field {...field('perUser')} inputMode="numeric" hint="Empty: as many as they can." />
      {(draft.perUserPerDay || draft.perUser) && (
        <Field
          {...field('group')}
          hint="Wins in all rains of the sponsor that name the same group count together. Empty: the group “default”."
        />
      )}
    </>
  );
}
