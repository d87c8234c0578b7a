import { useEffect, useState } from 'preact/hooks';
import { go, hrefOf } from '../../ui/address';
import { useDeed } from '../../ui/asking';
import { Choice, Field, Form, Group } from '../../ui/form';
import { Complaint } from '../../ui/outcome';
import { words } from '../../words';
import type { ViewProps } from '../view-props';
import { AdmissionFields, admissionOf, admissionDraftOf, EVERYBODY } from './terms/admission-fields';
import { instantOf, NO_PACE, PaceFields, paceOf, PacePreview } from './terms/pace-fields';
import { payoutDraftOf, NO_PAYOUT, PayoutFields, payoutOf } from './terms/payout-fields';
import { splitDraftOf, EMPTY_SPLIT, SplitFields, splitOf } from './terms/split-fields';
import { SplitPreview } from './terms/split-preview';
import { themeDraftOf, NO_THEME, ThemeFields, themeOf } from './terms/theme-fields';

const HOUR_MS = 3_600_000;

interface Draft {
  readonly name: string;
  readonly sponsorId: string;
  readonly totalAmount: string;
  readonly packetCount: string;
  readonly opensAt: string;
  readonly closesAt: string;
}

/**
 * The form of a new activity. `like` in the address fills it in from an earlier one, without its
 * pace, whose instants are over.
 */
export function NewActivityView({ api, address: { query } }: ViewProps) {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [split, setSplit] = useState(EMPTY_SPLIT);
  const [admission, setAdmission] = useState(EVERYBODY);
  const [pace, setPace] = useState(NO_PACE);
  const [luck, setLuck] = useState('no');
  const [theme, setTheme] = useState(NO_THEME);
  const [payout, setPayout] = useState(NO_PAYOUT);
  const deed = useDeed();
  const copying = useDeed();
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const { like } = query;
  useEffect(() => {
    if (like === undefined) return;
    const copy = async () => {
      const template = await api.readActivityTemplate(like);
      const {
        split: terms,
        packetCount,
        admission,
        limits,
        payout: paidOut,
        theme: look,
        showsBestLuck,
        ...rest
      } = template;
      change({ ...rest, packetCount: String(packetCount) });
      setAdmission(admissionDraftOf({ admission, limits }));
      setPayout(payoutDraftOf(paidOut));
      setSplit(splitDraftOf(terms));
      setTheme(themeDraftOf(look));
      setLuck(showsBestLuck ? 'yes' : 'no');
      return undefined;
    };
    void copying.run(copy);
  }, [api, like]);
  const packetCount = Number(draft.packetCount);
  const body = {
    ...draft,
    packetCount,
    split: splitOf(split),
    ...admissionOf(admission),
    payout: payoutOf(payout),
    theme: themeOf(theme),
    showsBestLuck: luck === 'yes',
    pace: paceOf(pace),
    opensAt: instantOf(draft.opensAt),
    closesAt: instantOf(draft.closesAt),
  };
  const create = () =>
    deed.run(async (key) => {
      const answer = await api.createActivity(body, { key });
      if (answer.status === 202) return words.common.needsApproval;
      go(hrefOf(['activities', answer.body.id]));
      return undefined;
    });
  const field = (name: keyof Draft) => ({
    label: words.labels[name],
    value: draft[name],
    onValue: (value: string) => change({ [name]: value }),
  });
  return (
    <>
      <h1>{words.activities.new}</h1>
      <Complaint fault={copying.fault} />
      <div class="columns">
        <Form
          title={words.newActivity.what}
          submit={words.newActivity.create}
          deed={deed}
          onSubmit={() => void create()}
        >
          <Field {...field('name')} />
          <Field {...field('sponsorId')} hint={words.newActivity.sponsorHint} />
          <Field {...field('totalAmount')} inputMode="decimal" />
          <Field {...field('packetCount')} inputMode="numeric" />
          <SplitFields draft={split} onDraft={setSplit} />
          <Group title={words.common.when}>
            <Field type="datetime-local" {...field('opensAt')} />
            <Field type="datetime-local" {...field('closesAt')} />
            <PaceFields draft={pace} onDraft={setPace} />
          </Group>
          <Group title={words.newActivity.wins}>
            <AdmissionFields draft={admission} onDraft={setAdmission} />
            <PayoutFields api={api} draft={payout} onDraft={setPayout} />
          </Group>
          <Group title={words.look.title}>
            <ThemeFields draft={theme} onDraft={setTheme} />
            <Choice
              label={words.labels.showsBestLuck}
              value={luck}
              options={words.bestLuck}
              onValue={setLuck}
            />
          </Group>
        </Form>
        {packetCount > 0 && (
          <div>
            {draft.totalAmount !== '' && <SplitPreview api={api} {...body} />}
            {body.pace && <PacePreview {...body} pace={body.pace} />}
          </div>
        )}
      </div>
    </>
  );
}

function emptyDraft(): Draft {
  const now = Date.now();
  return {
    ...{ name: '', sponsorId: '', totalAmount: '', packetCount: '' },
    opensAt: localTime(now + HOUR_MS),
    closesAt: localTime(now + 25 * HOUR_MS),
  };
}

/** The value of the field: the wall clock of the reader, without a zone. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}
