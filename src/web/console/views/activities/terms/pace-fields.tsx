import type { Schema } from '../../../../../../libs/client';
import { type Pace as PacePlan, paceOf as planOfTerms, releasedBy } from '../../../../../../libs/pace';
import { Choice, Field } from '../../../ui/form';
import { words } from '../../../words';
import { momentText } from '../../../words/language';

type Pace = NonNullable<Schema<'CreateActivityBody'>['pace']>;

/** The input of the form about a pace. Instants as its other fields have them. */
export interface PaceDraft {
  readonly kind: 'none' | Pace['kind'];
  readonly until: string;
  /** One wave a line: instant, then count. */
  readonly waves: string;
}

export const NO_PACE: PaceDraft = { kind: 'none', until: '', waves: '' };

/** Sends unreadable input unchanged, so that the API says what is wrong with it. */
export function instantOf(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

export function paceOf({ kind, until, waves }: PaceDraft): Pace | undefined {
  if (kind === 'none') return undefined;
  if (kind === 'even') return { kind, ...(until && { until: instantOf(until) }) };
  const lines = waves.split('\n').filter((line) => line.trim() !== '');
  return {
    kind,
    waves: lines.map((line) => {
      const [, at = '', count = ''] = /^(.*?)[\s,]+(\d+)$/.exec(line.trim()) ?? ['', line.trim()];
      return { at: instantOf(at.trim()), count: Number(count) };
    }),
  };
}

interface PaceFieldsProps {
  readonly draft: PaceDraft;
  readonly onDraft: (draft: PaceDraft) => void;
}

export function PaceFields({ draft, onDraft }: PaceFieldsProps) {
  const change = (part: Partial<PaceDraft>) => onDraft({ ...draft, ...part });
  return (
    <>
      <Choice
        label={words.labels.pace}
        value={draft.kind}
        options={words.pace.kinds}
        onValue={(kind) => change({ kind: kind as PaceDraft['kind'] })}
      />
      {draft.kind === 'even' && (
        <Field
          label={words.labels['pace.until']}
          type="datetime-local"
          value={draft.until}
          required={false}
          onValue={(until) => change({ until })}
          hint={words.pace.untilHint}
        />
      )}
      {draft.kind === 'waves' && (
        <div class="field">
          <label for="waves">{words.labels['pace.waves']}</label>
          <textarea
            id="waves"
            rows={4}
            value={draft.waves}
            aria-describedby="waves-hint"
            onInput={(event) => change({ waves: event.currentTarget.value })}
          />
          <small id="waves-hint">{words.pace.wavesHint}</small>
        </div>
      )}
    </>
  );
}

const STEPS = 24;

interface PacePreviewProps {
  readonly pace: Pace;
  readonly packetCount: number;
  readonly opensAt: string;
  readonly closesAt: string;
}

/** A picture of how many packets are released by when, from the opening to the close. */
export function PacePreview({ pace, packetCount, opensAt, closesAt }: PacePreviewProps) {
  const [fromMs, toMs] = [Date.parse(opensAt), Date.parse(closesAt)];
  if (!(fromMs < toMs)) return null;
  const plan = planOf(pace, { packetCount, opensAt, closesAt });
  const counts = Array.from({ length: STEPS }, (_, i) =>
    releasedBy(plan, fromMs + (i * (toMs - fromMs)) / STEPS),
  );
  const says = words.pace.histogram(counts.join(', '));
  return (
    <section aria-label={words.pace.region} class="preview">
      <h2>{words.pace.release}</h2>
      <figure class="histogram">
        <div class="bars" role="img" aria-label={says}>
          {counts.map((count, i) => (
            <div key={i} title={String(count)} style={{ height: `${(100 * count) / packetCount}%` }} />
          ))}
        </div>
        <figcaption>
          <span>{momentText(fromMs)}</span>
          <span>{momentText(toMs)}</span>
        </figcaption>
      </figure>
    </section>
  );
}

/** The plan that the API would make of it. */
const planOf = (pace: Pace, { packetCount, opensAt, closesAt }: Omit<PacePreviewProps, 'pace'>): PacePlan =>
  pace.kind === 'even'
    ? planOfTerms({ kind: 'even', from: opensAt, until: pace.until ?? closesAt }, packetCount)
    : planOfTerms(
        { kind: 'waves', waves: pace.waves.map(({ at, count }) => ({ at, count: String(count) })) },
        packetCount,
      );
