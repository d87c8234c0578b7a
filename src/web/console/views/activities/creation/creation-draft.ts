import type { Schema } from '../../../../../../libs/client';
import type { Address } from '../../../ui/address';
import { instantOf, localOf, localTime, msOf } from '../../../ui/local-time';
import { type AdmissionDraft, admissionDraftOf, admissionOf, EVERYONE } from '../terms/admission-fields';
import { type AudienceDraft, audienceDraftOf, audienceOf, PUBLIC } from '../terms/audience-fields';
import { NO_PACE, type PaceDraft, paceDraftOf, paceOf } from '../terms/pace-draft';
import { NO_PAYOUT, type PayoutDraft, payoutDraftOf, payoutOf } from '../terms/payout-fields';
import { EMPTY_SPLIT, EQUAL_SPLIT, type SplitDraft, splitDraftOf, splitOf } from '../terms/split-fields';
import { NO_THEME, type ThemeDraft, themeDraftOf, themeOf } from '../terms/theme-fields';
import { nextFullHour, nextWeek } from './moments';

const DAY_MS = 24 * 3_600_000;

/** The fields that the form sends as they are, or as a number or an instant. */
export type PlainField = 'name' | 'sponsorId' | 'totalAmount' | 'packetCount' | 'opensAt' | 'closesAt';

/** The input of the form of a new activity. */
export interface Draft extends Readonly<Record<PlainField, string>> {
  readonly split: SplitDraft;
  readonly pace: PaceDraft;
  readonly admission: AdmissionDraft;
  readonly payout: PayoutDraft;
  readonly theme: ThemeDraft;
  readonly luck: string;
  /** Empty for the default of the installation. */
  readonly currency: string;
  readonly isRehearsal: boolean;
  readonly audience: AudienceDraft;
  /** All other times move along with the opening. */
  readonly movesTimes: boolean;
  /** The last opening that could be read, from which they move. */
  readonly movedFrom: string;
}

export function emptyDraft({ currency = '', sponsor = '' }: Address['query'] = {}): Draft {
  const opensAt = localTime(nextFullHour());
  return {
    name: '',
    sponsorId: sponsor,
    totalAmount: '',
    packetCount: '',
    opensAt,
    closesAt: localTime(nextFullHour() + DAY_MS),
    split: EMPTY_SPLIT,
    pace: NO_PACE,
    audience: PUBLIC,
    admission: EVERYONE,
    payout: NO_PAYOUT,
    theme: NO_THEME,
    luck: 'no',
    currency,
    isRehearsal: false,
    movesTimes: false,
    movedFrom: opensAt,
  };
}

/** The body of the request. The API refuses its faults. */
export const creationOf = ({ split, pace, admission, payout, theme, luck, ...draft }: Draft) => ({
  name: draft.name,
  sponsorId: draft.sponsorId,
  totalAmount: draft.totalAmount,
  currency: draft.isRehearsal ? undefined : draft.currency || undefined,
  rehearsal: draft.isRehearsal || undefined,
  packetCount: Number(draft.packetCount),
  split: splitOf(split),
  ...admissionOf(admission),
  payout: payoutOf(payout),
  audience: audienceOf(draft.audience),
  theme: themeOf(theme),
  showsBestLuck: luck === 'yes',
  pace: paceOf(pace),
  opensAt: instantOf(draft.opensAt),
  closesAt: instantOf(draft.closesAt),
});

/** A draft in a currency of codes: a packet gives one, so their number is the total, and there is nothing to split or pay out. */
export const draftOfCodes = (draft: Draft): Draft => ({
  ...draft,
  totalAmount: draft.packetCount.trim(),
  split: EQUAL_SPLIT,
  payout: NO_PAYOUT,
  luck: 'no',
});

export type CreationBody = ReturnType<typeof creationOf>;

/** The terms of an activity, with all of its times moved to the same weekday of a week that is still ahead. */
export function draftLike(
  template: Schema<'TemplateDto'>,
  { opensAt, closesAt, pace }: Pick<Schema<'ActivityDto'>, 'opensAt' | 'closesAt' | 'pace'>,
): Draft {
  const { split, packetCount, audience, admission, limits, payout, theme, showsBestLuck, ...plain } =
    template;
  const { currency = '', rehearsal: isRehearsal = false, ...others } = plain;
  const asItWas: Draft = {
    ...emptyDraft(),
    ...others,
    currency: isRehearsal ? '' : currency,
    isRehearsal,
    packetCount: String(packetCount),
    split: splitDraftOf(split),
    audience: audienceDraftOf(audience),
    admission: admissionDraftOf({ admission, limits }),
    payout: payoutDraftOf(payout),
    theme: themeDraftOf(theme),
    luck: showsBestLuck ? 'yes' : 'no',
    opensAt: localOf(opensAt),
    closesAt: localOf(closesAt),
    pace: paceDraftOf(pace, closesAt),
    movesTimes: true,
    movedFrom: localOf(opensAt),
  };
  return { ...asItWas, ...withOpening(asItWas, localTime(nextWeek(Date.parse(opensAt)))) };
}

/** Returns the fields that change with the opening. Times that cannot be read stay as they are. */
export function withOpening(
  { movesTimes, movedFrom, closesAt, pace }: Draft,
  opensAt: string,
): Partial<Draft> {
  const byMs = msOf(opensAt) - msOf(movedFrom);
  if (Number.isNaN(byMs)) return { opensAt };
  if (!movesTimes) return { opensAt, movedFrom: opensAt };
  const moved = (local: string): string =>
    Number.isNaN(msOf(local)) ? local : localTime(msOf(local) + byMs);
  return {
    opensAt,
    movedFrom: opensAt,
    closesAt: moved(closesAt),
    pace: {
      ...pace,
      until: moved(pace.until),
      waves: pace.waves.map((wave) => ({ ...wave, at: moved(wave.at) })),
    },
  };
}
