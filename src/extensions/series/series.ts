import type { Role } from '../../../libs/roles';
import type { RainBody } from '../../core/lifecycle';
import type { Timing } from './recurrence';

export const SERIES_STATUSES = ['active', 'paused', 'ended'] as const;
export type SeriesStatus = (typeof SERIES_STATUSES)[number];

export type OccurrenceStatus = 'created' | 'missed';

/** Why an occurrence has no activity. `late`: no program was running before its end to create it. */
export const MISSED_REASONS = [
  ...([
    'no-funds',
    'over-budget',
    'wallet-frozen',
    'paused',
    'preflight',
    'second-person',
    'channel',
  ] as const),
  ...(['codes', 'too-many', 'terms', 'busy', 'failed', 'late'] as const),
] as const;
export type MissedReason = (typeof MISSED_REASONS)[number];

export interface Refusal {
  readonly reason: MissedReason;
  readonly detail: string;
}

/** The terms of a series, as they are stored. */
export interface SeriesTerms extends Timing {
  readonly sponsorId: string;
  /** The body of its activities without the sponsor. */
  readonly rain: Omit<RainBody, 'sponsorId'>;
  readonly createAheadHours: number;
}

export interface Series extends SeriesTerms {
  readonly id: string;
  readonly status: SeriesStatus;
  /** Who wrote the terms last. */
  readonly actor: { readonly userId: string; readonly role: Role };
  readonly decided: number;
  /** When the latest of those opens. */
  readonly decidedUntil: Date | null;
  /** Null if there is no further occurrence. */
  readonly nextOpensAt: Date | null;
  readonly refusal: Refusal | null;
  readonly createdAt: Date;
  /** The clock of Postgres when this was read. */
  readonly readAt: Date;
}

export interface DecidedOccurrence {
  readonly no: number;
  readonly opensAt: Date;
  readonly closesAt: Date;
  readonly activityId: string | null;
  readonly refusal: Refusal | null;
  readonly decidedAt: Date;
}
