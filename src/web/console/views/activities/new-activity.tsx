import { useEffect, useState } from 'preact/hooks';
import type { ApiClient, Schema } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { go, hrefOf } from '../../ui/address';
import { useDeed } from '../../ui/asking';
import { Choice, Field, Group } from '../../ui/form';
import { Complaint } from '../../ui/outcome';
import { ReviewedForm } from '../../ui/reviewed';
import { words } from '../../words';
import { reviewCreation } from '../booking-review';
import type { ViewProps } from '../view-props';
import {
  type AdmissionDraft,
  admissionDraftOf,
  AdmissionFields,
  admissionOf,
  EVERYBODY,
} from './terms/admission-fields';
import { instantOf, NO_PACE, type PaceDraft, PaceFields, paceOf, PacePreview } from './terms/pace-fields';
import { NO_PAYOUT, type PayoutDraft, payoutDraftOf, PayoutFields, payoutOf } from './terms/payout-fields';
import { EMPTY_SPLIT, type SplitDraft, splitDraftOf, SplitFields, splitOf } from './terms/split-fields';
import { SplitPreview } from './terms/split-preview';
import { NO_THEME, type ThemeDraft, themeDraftOf, ThemeFields, themeOf } from './terms/theme-fields';

const HOUR_MS = 3_600_000;

/** The fields that the form sends as they are, or as a number or an instant. */
type PlainField = 'name' | 'sponsorId' | 'totalAmount' | 'packetCount' | 'opensAt' | 'closesAt';

/** The input of the form. */
interface Draft extends Readonly<Record<PlainField, string>> {
  readonly split: SplitDraft;
  readonly pace: PaceDraft;
  readonly admission: AdmissionDraft;
  readonly payout: PayoutDraft;
  readonly theme: ThemeDraft;
  readonly luck: string;
}

/**
 * The form of a new activity. `like` in the URL fills it in from an earlier activity, without its pace, whose
 * instants have passed.
 */
export function NewActivityView({ api, person, address: { query } }: ViewProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const copying = useDeed();
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const { like } = query;
  useEffect(() => {
    if (like === undefined) return;
    void copying.run(async () => {
      change(draftOf(await api.readActivityTemplate(like)));
      return undefined;
    });
  }, [api, like]);
  const creation = creationOf(draft);
  const create = async (key: string) => {
    const { status, body: activity } = await api.createActivity(creation, { key });
    if (status === 202) {
      setDraft(emptyDraft());
      return words.common.needsApproval;
    }
    go(hrefOf(['activities', activity.id]));
    return undefined;
  };
  const fields = { draft, onChange: change };
  return (
    <>
      <h1>{words.activities.new}</h1>
      <Complaint fault={copying.fault} />
      <div class="columns">
        <ReviewedForm
          title={words.newActivity.what}
          submit={words.newActivity.create}
          review={() => reviewCreation(api, may(person, 'inspect'), creation)}
          onConfirm={create}
        >
          <MoneyFields {...fields} />
          <TimeFields {...fields} />
          <WinFields api={api} {...fields} />
          <LookFields {...fields} />
        </ReviewedForm>
        {creation.packetCount > 0 && <Previews api={api} creation={creation} />}
      </div>
    </>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

const plainField = (name: PlainField, { draft, onChange }: FieldsProps) => ({
  label: words.labels[name],
  value: draft[name],
  onValue: (value: string) => onChange({ [name]: value }),
});

/** Who gives how much, in how many packets, and how it is split. */
function MoneyFields(props: FieldsProps) {
  const { draft, onChange } = props;
  return (
    <>
      <Field {...plainField('name', props)} />
      <Field {...plainField('sponsorId', props)} hint={words.newActivity.sponsorHint} />
      <Field {...plainField('totalAmount', props)} inputMode="decimal" />
      <Field {...plainField('packetCount', props)} inputMode="numeric" />
      <SplitFields draft={draft.split} onDraft={(split) => onChange({ split })} />
    </>
  );
}

/** From when to when it rains, and how fast. */
function TimeFields(props: FieldsProps) {
  const { draft, onChange } = props;
  return (
    <Group title={words.common.when}>
      <Field type="datetime-local" {...plainField('opensAt', props)} />
      <Field type="datetime-local" {...plainField('closesAt', props)} />
      <PaceFields draft={draft.pace} onDraft={(pace) => onChange({ pace })} />
    </Group>
  );
}

/** Who may win how often, and where the wins go. */
function WinFields({ api, draft, onChange }: FieldsProps & { readonly api: ApiClient }) {
  return (
    <Group title={words.newActivity.wins}>
      <AdmissionFields draft={draft.admission} onDraft={(admission) => onChange({ admission })} />
      <PayoutFields api={api} draft={draft.payout} onDraft={(payout) => onChange({ payout })} />
    </Group>
  );
}

/** The page of the rain. */
function LookFields({ draft, onChange }: FieldsProps) {
  return (
    <Group title={words.look.title}>
      <ThemeFields draft={draft.theme} onDraft={(theme) => onChange({ theme })} />
      <Choice
        label={words.labels.showsBestLuck}
        value={draft.luck}
        options={words.bestLuck}
        onValue={(luck) => onChange({ luck })}
      />
    </Group>
  );
}

type Creation = ReturnType<typeof creationOf>;

function Previews({ api, creation }: { readonly api: ApiClient; readonly creation: Creation }) {
  return (
    <div>
      {creation.totalAmount !== '' && <SplitPreview api={api} {...creation} />}
      {creation.pace && <PacePreview {...creation} pace={creation.pace} />}
    </div>
  );
}

/** The body of the request. The API refuses its faults. */
const creationOf = ({ split, pace, admission, payout, theme, luck, ...plain }: Draft) => ({
  ...plain,
  packetCount: Number(plain.packetCount),
  split: splitOf(split),
  ...admissionOf(admission),
  payout: payoutOf(payout),
  theme: themeOf(theme),
  showsBestLuck: luck === 'yes',
  pace: paceOf(pace),
  opensAt: instantOf(plain.opensAt),
  closesAt: instantOf(plain.closesAt),
});

/** Fills the form from the terms of an activity. */
function draftOf(template: Schema<'TemplateDto'>): Partial<Draft> {
  const { split, packetCount, admission, limits, payout, theme, showsBestLuck, ...plain } = template;
  return {
    ...plain,
    packetCount: String(packetCount),
    split: splitDraftOf(split),
    admission: admissionDraftOf({ admission, limits }),
    payout: payoutDraftOf(payout),
    theme: themeDraftOf(theme),
    luck: showsBestLuck ? 'yes' : 'no',
  };
}

function emptyDraft(): Draft {
  const now = Date.now();
  return {
    name: '',
    sponsorId: '',
    totalAmount: '',
    packetCount: '',
    opensAt: localTime(now + HOUR_MS),
    closesAt: localTime(now + 25 * HOUR_MS),
    split: EMPTY_SPLIT,
    pace: NO_PACE,
    admission: EVERYBODY,
    payout: NO_PAYOUT,
    theme: NO_THEME,
    luck: 'no',
  };
}

/** The value of the field: the wall clock of the reader, without a zone. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}
