import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createWithWord, newKey, type SponsorWord } from '../../../../../libs/client';
import { may } from '../../session/staff';
import { go, hrefOf, Link, refine } from '../../ui/address';
import { useDeed } from '../../ui/asking';
import { Group } from '../../ui/form';
import { msOf } from '../../ui/local-time';
import { MomentField } from '../../ui/moment-field';
import { Complaint } from '../../ui/outcome';
import { ReviewedForm } from '../../ui/reviewed';
import { words } from '../../words';
import { reviewCreation } from '../booking-review';
import { currencyAmong, useCurrencies } from '../currencies/currencies-at-hand';
import type { ViewProps } from '../view-props';
import {
  type CreationBody,
  creationOf,
  type Draft,
  draftLike,
  draftOfCodes,
  emptyDraft,
  withOpening,
} from './creation/creation-draft';
import { type FieldsProps, LookFields, MoneyFields, WinFields } from './creation/creation-fields';
import { DraftList } from './creation/draft-list';
import { KeptDrafts } from './creation/kept-drafts';
import { KeptWords } from './creation/kept-words';
import { FAR_MS, nextAt, nextFullHour } from './creation/moments';
import { PaceFields } from './terms/pace-fields';
import { ReleaseCurve } from './terms/release-curve';
import { NoPreview, SplitPreview } from './terms/split-preview';

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
  /** The id of the draft. */
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
      {like !== undefined && !copying.fault && (
        <p class="about">
          {words.newActivity.copiedFrom} <Link to={['activities', like]}>{words.activity.title(like)}</Link>
        </p>
      )}
      <div class="columns beside">
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
        <Previews {...{ api, creation, isOfCodes }} />
      </div>
    </>
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
      <label class="check alone">
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

interface PreviewsProps extends Pick<FieldsProps, 'api' | 'isOfCodes'> {
  readonly creation: CreationBody;
}

/** Packets of codes are all alike. */
function Previews({ api, creation, isOfCodes }: PreviewsProps) {
  const isCounted = creation.packetCount > 0;
  const hasSplit = isCounted && creation.totalAmount !== '';
  if (isOfCodes && !(isCounted && creation.pace)) return null;
  return (
    <div>
      {!isOfCodes && (hasSplit ? <SplitPreview api={api} {...creation} /> : <NoPreview />)}
      {isCounted && creation.pace && <ReleaseCurve {...creation} pace={creation.pace} />}
    </div>
  );
}
