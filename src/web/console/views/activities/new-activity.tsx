import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiClient, createWithWord, newKey, type SponsorWord } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { go, hrefOf, refine } from '../../ui/address';
import { useDeed } from '../../ui/asking';
import { Choice, Field, Group } from '../../ui/form';
import { msOf } from '../../ui/local-time';
import { MomentField } from '../../ui/moment-field';
import { Complaint } from '../../ui/outcome';
import { ReviewedForm } from '../../ui/reviewed';
import { words } from '../../words';
import { grouped } from '../../words/language';
import { reviewCreation } from '../booking-review';
import { usePoolOf } from '../code-pools/pools-at-hand';
import { type Currency, currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import { AmountField, CurrencyChoice } from '../currencies/currency-choice';
import type { ViewProps } from '../view-props';
import {
  type CreationBody,
  creationOf,
  type Draft,
  draftLike,
  draftOfCodes,
  emptyDraft,
  type PlainField,
  withOpening,
} from './creation/creation-draft';
import { DraftList } from './creation/draft-list';
import { KeptDrafts } from './creation/kept-drafts';
import { KeptWords } from './creation/kept-words';
import { FAR_MS, nextAt, nextFullHour } from './creation/moments';
import { AdmissionFields } from './terms/admission-fields';
import { AudienceFields } from './terms/audience-fields';
import { PaceFields } from './terms/pace-fields';
import { NO_PAYOUT, PayoutFields } from './terms/payout-fields';
import { ReleaseCurve } from './terms/release-curve';
import { SplitFields } from './terms/split-fields';
import { SplitPreview } from './terms/split-preview';
import { ThemeFields } from './terms/theme-fields';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const EVENING = 20;

/**
 * The form of a new activity. `like` in the URL fills it in from an earlier activity, with its times moved ahead;
 * `draft` names what this browser keeps of it, from the first change on.
 */
export function NewActivityView(props: ViewProps) {
  const { person, settings, address } = props;
  const { draft, like = '' } = address.query;
  const drafts = useMemo(() => new KeptDrafts(settings.api, person.sub), [settings.api, person.sub]);
  const fresh = useRef({ id: newKey(), isNamed: false });
  // The address of a new form after one that was begun: the next one is another.
  if (draft === undefined && fresh.current.isNamed) fresh.current = { id: newKey(), isNamed: false };
  if (draft === fresh.current.id) fresh.current.isNamed = true;
  const id = draft ?? fresh.current.id;
  return (
    <>
      <h1>{words.activities.new}</h1>
      <DraftList drafts={drafts} except={id} />
      <CreationForm key={`${id} ${like}`} {...props} {...{ drafts, id }} />
    </>
  );
}

interface CreationFormProps extends ViewProps {
  readonly drafts: KeptDrafts;
  /** Of the draft. */
  readonly id: string;
}

function CreationForm({ api, person, settings, address: { query }, drafts, id }: CreationFormProps) {
  const [begun] = useState(() => drafts.find(id));
  const [draft, setDraft] = useState(() => begun?.draft ?? emptyDraft(query));
  const copying = useDeed();
  const { like } = query;
  useEffect(() => {
    if (like === undefined || begun) return;
    void copying.run(async () => {
      const [template, activity] = await Promise.all([
        api.readActivityTemplate(like),
        api.readActivity(like),
      ]);
      setDraft(draftLike(template, activity));
      return undefined;
    });
  }, [api, like]);
  const keepDraft = (changed: Draft, key?: string) => {
    drafts.save(id, changed, key);
    if (query.draft !== id) refine({ draft: id });
  };
  const change = (part: Partial<Draft>) =>
    setDraft((before) => {
      const changed = { ...before, ...part };
      keepDraft(changed);
      return changed;
    });
  const currencies = useCurrencies(api).value;
  const isOfCodes = !draft.isRehearsal && currencyAmong(currencies, draft.currency)?.kind === 'codes';
  const creation = creationOf(isOfCodes ? draftOfCodes(draft) : draft);
  const word = useRef(begun?.word);
  const create = async (key: string) => {
    const onWord = (drawn: SponsorWord | null) => {
      word.current = drawn;
      drafts.keepWord(id, drawn);
    };
    const answer = await createWithWord(api, creation, { key, word: word.current, onWord });
    const { status, body: activity } = answer;
    if (answer.word)
      new KeptWords(settings.api, person.sub).keep(answer.word, status === 201 ? activity.id : undefined);
    drafts.remove(id);
    if (status === 202) {
      setDraft(emptyDraft());
      return words.common.needsApproval;
    }
    go(hrefOf(['activities', activity.id]));
    return undefined;
  };
  const fields = { api, draft, currencies, isOfCodes, onChange: change };
  return (
    <>
      <Complaint fault={copying.fault} />
      <div class="columns">
        <ReviewedForm
          title={words.newActivity.what}
          submit={words.newActivity.create}
          review={() => reviewCreation(api, may(person, 'inspect'), creation)}
          onConfirm={create}
          keeper={{
            kept: begun?.key,
            onSent: (key) => keepDraft(draft, key),
            onAnswered: () => {
              word.current = undefined;
              drafts.forgetRequest(id);
            },
          }}
        >
          <MoneyFields {...fields} />
          <TimeFields {...fields} />
          <WinFields {...fields} />
          <LookFields {...fields} />
        </ReviewedForm>
        {creation.packetCount > 0 && <Previews {...{ api, creation, isOfCodes }} />}
      </div>
    </>
  );
}

interface FieldsProps {
  readonly api: ApiClient;
  readonly draft: Draft;
  /** Those of the installation, once they are read. */
  readonly currencies: readonly Currency[] | undefined;
  /** Packets give codes of a pool. */
  readonly isOfCodes: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}

const plainField = (name: PlainField, { draft, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) => ({
  label: words.labels[name],
  value: draft[name],
  onValue: (value: string) => onChange({ [name]: value }),
});

/** Who gives how much, in how many packets, and how it is split. */
function MoneyFields(props: FieldsProps) {
  const { draft, onChange, currencies, isOfCodes } = props;
  const money = { currencies, value: draft.isRehearsal ? '' : draft.currency };
  return (
    <>
      <Field {...plainField('name', props)} />
      <Field
        {...plainField('sponsorId', props)}
        hint={draft.isRehearsal ? undefined : words.newActivity.sponsorHint}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.isRehearsal}
          onChange={(event) => onChange({ isRehearsal: event.currentTarget.checked, payout: NO_PAYOUT })}
        />
        {words.newActivity.rehearsal}
      </label>
      {!draft.isRehearsal && (
        <CurrencyChoice {...money} onValue={(currency) => onChange({ currency, payout: NO_PAYOUT })} />
      )}
      {isOfCodes ? (
        <CodeFields {...props} />
      ) : (
        <>
          <AmountField
            {...money}
            label={words.labels.totalAmount}
            amount={draft.totalAmount}
            onAmount={(totalAmount) => onChange({ totalAmount })}
          />
          <Field {...plainField('packetCount', props)} inputMode="numeric" />
          <SplitFields {...money} draft={draft.split} onDraft={(split) => onChange({ split })} />
        </>
      )}
    </>
  );
}

/** How many codes. Only the sponsor of the pool gives them. */
function CodeFields(props: FieldsProps) {
  const { api, draft, onChange } = props;
  const pool = usePoolOf(api, draft.currency);
  useEffect(() => {
    if (pool && pool.sponsorId !== draft.sponsorId) onChange({ sponsorId: pool.sponsorId });
  }, [pool?.id]);
  return (
    <Field
      {...plainField('packetCount', props)}
      inputMode="numeric"
      hint={pool && words.codePools.free(pool.name, grouped(String(pool.free)))}
    />
  );
}

/** From when to when it rains, and how fast. */
function TimeFields({ draft, onChange }: FieldsProps) {
  const [opensAtMs, closesAtMs] = [msOf(draft.opensAt), msOf(draft.closesAt)];
  const nowMs = Date.now();
  const { labels, times } = words;
  const afterOpening = (ms: number) => () => (Number.isNaN(opensAtMs) ? Date.now() : opensAtMs) + ms;
  return (
    <Group title={words.common.when}>
      <MomentField
        label={labels.opensAt}
        value={draft.opensAt}
        minMs={nowMs - FAR_MS}
        maxMs={nowMs + FAR_MS}
        hint={opensAtMs < nowMs ? times.opensAtOnce : undefined}
        onValue={(opensAt) => onChange(withOpening(draft, opensAt))}
        choices={{
          [times.inMinutes(10)]: () => Date.now() + 10 * MINUTE_MS,
          [times.nextHour]: () => nextFullHour(),
          [times.nextEvening(EVENING, nextAt(EVENING))]: () => nextAt(EVENING),
        }}
      />
      <MomentField
        label={labels.closesAt}
        value={draft.closesAt}
        minMs={opensAtMs + 1_000}
        maxMs={nowMs + FAR_MS}
        onValue={(closesAt) => onChange({ closesAt })}
        choices={{
          [times.minutesLater(10)]: afterOpening(10 * MINUTE_MS),
          [times.hoursLater(1)]: afterOpening(HOUR_MS),
          [times.hoursLater(24)]: afterOpening(24 * HOUR_MS),
        }}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={draft.movesTimes}
          onChange={(event) => onChange({ movesTimes: event.currentTarget.checked })}
        />
        {times.move}
      </label>
      <PaceFields
        draft={draft.pace}
        window={{ opensAtMs, closesAtMs, packetCount: Number(draft.packetCount) || NaN }}
        onDraft={(pace) => onChange({ pace })}
      />
    </Group>
  );
}

/** Who may win how often, and where the wins go. */
function WinFields({ api, draft, currencies, isOfCodes, onChange }: FieldsProps) {
  return (
    <Group title={words.newActivity.wins}>
      <AudienceFields draft={draft.audience} onDraft={(audience) => onChange({ audience })} />
      <AdmissionFields draft={draft.admission} onDraft={(admission) => onChange({ admission })} />
      {!draft.isRehearsal && !isOfCodes && (
        <PayoutFields
          {...{ api, currencies }}
          currency={draft.currency}
          draft={draft.payout}
          onDraft={(payout) => onChange({ payout })}
        />
      )}
    </Group>
  );
}

/** The page of the rain. */
function LookFields({ draft, isOfCodes, onChange }: FieldsProps) {
  return (
    <Group title={words.look.title}>
      <ThemeFields draft={draft.theme} onDraft={(theme) => onChange({ theme })} />
      {!isOfCodes && (
        <Choice
          label={words.labels.showsBestLuck}
          value={draft.luck}
          options={words.bestLuck}
          onValue={(luck) => onChange({ luck })}
        />
      )}
    </Group>
  );
}

interface PreviewsProps extends Pick<FieldsProps, 'api' | 'isOfCodes'> {
  readonly creation: CreationBody;
}

/** Packets of codes are all alike. */
function Previews({ api, creation, isOfCodes }: PreviewsProps) {
  return (
    <div>
      {creation.totalAmount !== '' && !isOfCodes && <SplitPreview api={api} {...creation} />}
      {creation.pace && <ReleaseCurve {...creation} pace={creation.pace} />}
    </div>
  );
}
