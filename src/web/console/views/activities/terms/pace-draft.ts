import type { Schema } from '../../../../../../libs/client';
import { type Pace as Plan, paceOf as planOfTerms } from '../../../../../../libs/pace';
import { instantOf, localOf } from '../../../ui/local-time';

export type Pace = NonNullable<Schema<'CreateActivityBody'>['pace']>;

export interface WaveDraft {
  readonly at: string;
  readonly count: string;
}

/** The input of a form about a pace. Instants as its other fields have them. */
export interface PaceDraft {
  readonly kind: 'none' | Pace['kind'];
  readonly until: string;
  readonly waves: readonly WaveDraft[];
}

export const NO_PACE: PaceDraft = { kind: 'none', until: '', waves: [] };

/** The body of a request. The API refuses what is wrong with it. */
export function paceOf({ kind, until, waves }: PaceDraft): Pace | undefined {
  if (kind === 'none') return undefined;
  if (kind === 'even') return { kind, ...(until && { until: instantOf(until) }) };
  return { kind, waves: waves.map(({ at, count }) => ({ at: instantOf(at), count: Number(count) })) };
}

/** Fills the form from the pace of an activity. A pace that lasts until the close does not state its end. */
export function paceDraftOf(pace: Pace | undefined, closesAt: string): PaceDraft {
  if (!pace) return NO_PACE;
  if (pace.kind === 'even')
    return { ...NO_PACE, kind: 'even', until: pace.until === closesAt ? '' : localOf(pace.until) };
  const waves = pace.waves.map(({ at, count }) => ({ at: localOf(at), count: String(count) }));
  return { ...NO_PACE, kind: 'waves', waves };
}

interface Released {
  readonly packetCount: number;
  readonly opensAt: string;
  readonly closesAt: string;
}

/** The plan that the API would make of it. */
export const planOf = (pace: Pace, { packetCount, opensAt, closesAt }: Released): Plan =>
  pace.kind === 'even'
    ? planOfTerms({ kind: 'even', from: opensAt, until: pace.until ?? closesAt }, packetCount)
    : planOfTerms(
        { kind: 'waves', waves: pace.waves.map(({ at, count }) => ({ at, count: String(count) })) },
        packetCount,
      );
