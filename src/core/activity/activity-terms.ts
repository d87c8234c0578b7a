import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import { type PacedBatch, STATE_FORMAT_MAX, type Window } from '../../../libs/redis-scripts';
import { currencyNumberOf } from '../currency';
import { IsFlag, IsOneOf, IsText, IsTimeZone, IsWholeNumber, Omittable } from '../../platform/http';

export const ADMISSIONS = ['open', 'ticket'] as const;
export type Admission = (typeof ADMISSIONS)[number];

const WINS_MAX = 1_000_000;
const WINS = { type: 'integer', minimum: 1, maximum: WINS_MAX } as const;

/** Wins of one user in all activities with limits of the sponsor that belong to the same group. */
export class LimitTerms {
  @Omittable({ ...WINS, example: 2, description: 'The most wins of a user per day in `timeZone`.' })
  @IsWholeNumber(WINS)
  readonly perUserPerDay?: number;

  @Omittable({ ...WINS, example: 5, description: 'The most wins of a user in total.' })
  @IsWholeNumber(WINS)
  readonly perUser?: number;

  @Omittable({
    example: 'spring',
    minLength: 1,
    maxLength: 64,
    default: 'default',
    description:
      'Wins in activities of the same sponsor that name the same group count together. Spaces around it are dropped.',
  })
  @IsText({ min: 1, max: 64 })
  readonly group?: string;

  @Omittable({
    example: 'Asia/Shanghai',
    default: 'UTC',
    description: 'The IANA name of the time zone in which days begin.',
  })
  @IsTimeZone()
  readonly timeZone?: string;
}

/**
 * Terms that a creation stores as they were sent, and that views and templates show as they are
 * stored. A new term of this kind has to be declared only in this file.
 */
export class PlainTerms {
  @ApiProperty({ example: 'New Year rain', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;

  @Omittable({
    enum: ADMISSIONS,
    example: 'open',
    description: 'Who may tap: all users, or only those with a ticket from the sponsor. By default `open`.',
  })
  @IsOneOf(ADMISSIONS)
  readonly admission?: Admission;

  @Omittable({
    type: LimitTerms,
    description:
      'Limits on the wins of one user: `perUserPerDay`, `perUser` or both. A tap beyond a limit is ' +
      'answered `limit`. No limits if left out.',
  })
  @ValidateNested()
  @Type(() => LimitTerms)
  readonly limits?: LimitTerms;

  @Omittable({
    example: true,
    default: false,
    description: 'After the end, everyone sees the ten largest packets with masked user ids.',
  })
  @IsFlag()
  readonly showsBestLuck?: boolean;
}

/** The prefix of the group of limits of an activity in play money. */
export const PLAY_GROUP = '\u001a';

type StoredTerms = Omit<PlainTerms, 'limits'> & { readonly limits?: LimitTerms | null };

export const plainTerms = ({
  name,
  admission = 'open',
  limits,
  showsBestLuck = false,
}: StoredTerms): PlainTerms & { readonly admission: Admission; readonly showsBestLuck: boolean } => ({
  name,
  admission,
  showsBestLuck,
  ...(limits && {
    limits: {
      ...limits,
      group: limits.group?.replace(PLAY_GROUP, '').normalize().trim() ?? 'default',
      timeZone: limits.timeZone ?? 'UTC',
    },
  }),
});

/** The audience of activities that are open to everyone. */
export const PUBLIC = 'public';

/** The terms never change, except that `closesAt` may move to a later instant. */
export interface ActivityTerms extends Required<StoredTerms> {
  /** Who may know of it: everyone, or the people whom an extension admits. */
  readonly audience: string;
  readonly sponsorId: string;
  readonly currency: string;
  /** Its id carries the number of the currency. */
  readonly escrowAccountId: string;
  /** The number of parts over which its packets are dealt; 1 for most. */
  readonly parts: number;
  /** Determines for the outlet where credits go. Null if they stay in wallets. */
  readonly outletId: string | null;
  readonly opensAt: Date;
  readonly closesAt: Date;
}

/**
 * The terms that restrict who wins, each with the first format whose programs know it. An activity
 * has the format of its newest such term, in Postgres and in Redis: a program of a lower format would
 * let everyone in, so it answers 503 instead. Programs that run now are older than the next term, so
 * that term raises `STATE_FORMAT_MAX`, and its migration serves the programs that read the column
 * `format`.
 */
const RESTRICTIONS = {
  name: undefined,
  admission: { format: 5, applies: (admission) => admission !== 'open' },
  limits: { format: 5, applies: (limits) => limits !== null },
  showsBestLuck: undefined,
  audience: { format: 7, applies: (audience) => audience !== PUBLIC },
  sponsorId: undefined,
  currency: undefined,
  /** It restricts nobody, but older programs would write and pay its amounts in the default currency. */
  escrowAccountId: { format: 6, applies: (escrowAccountId) => currencyNumberOf(escrowAccountId) > 0 },
  parts: undefined,
  outletId: undefined,
  opensAt: undefined,
  closesAt: undefined,
} satisfies { [Term in keyof ActivityTerms]: Restriction<ActivityTerms[Term]> | undefined };

interface Restriction<T> {
  readonly format: number;
  applies(this: void, value: T): boolean;
}

const RESTRICTING = Object.entries<Restriction<never> | undefined>(RESTRICTIONS).flatMap(
  ([term, restriction]) => (restriction ? [{ term: term as keyof RestrictingTerms, ...restriction }] : []),
);

type Keys<T> = { [K in keyof T]: T[K] extends undefined ? never : K }[keyof T];

/** The terms that determine the format of an activity. */
export type RestrictingTerms = Pick<ActivityTerms, Keys<typeof RESTRICTIONS>>;

const formatFor = (terms: RestrictingTerms): number =>
  Math.max(
    1,
    ...RESTRICTING.flatMap(({ term, format, applies }) => (applies(terms[term] as never) ? [format] : [])),
  );

/** A row may come from a newer program, or from one that did not write the column yet. */
export type FormatRow = RestrictingTerms & { readonly format: number };

export const formatOf = (row: FormatRow): number => Math.max(row.format, formatFor(row));

/** True if this program would overlook a term that restricts who wins. */
export const isNewer = ({ format }: { readonly format: number }): boolean => format > STATE_FORMAT_MAX;

const COLUMNS: Readonly<Record<keyof ActivityTerms, string>> = {
  name: 'name',
  admission: 'admission',
  limits: 'limits',
  showsBestLuck: 'shows_best_luck',
  audience: 'audience',
  sponsorId: 'sponsor_id',
  currency: 'currency',
  escrowAccountId: 'escrow_account_id',
  parts: 'parts',
  outletId: 'payout_channel_id',
  opensAt: 'opens_at',
  closesAt: 'closes_at',
};

const COLUMN_OF_EACH = Object.entries(COLUMNS) as [keyof ActivityTerms, string][];

/** The terms in a `select` from `activity`. */
export const TERMS = COLUMN_OF_EACH.map(([term, column]) => `activity.${column} as "${term}"`).join(', ');

/** The columns that {@link formatOf} reads, in a `select` from `activity`. */
export const FORMAT = [
  'activity.format',
  ...RESTRICTING.map(({ term }) => `activity.${COLUMNS[term]} as "${term}"`),
].join(', ');

export const columnsOf = (terms: ActivityTerms): Record<string, unknown> => ({
  ...Object.fromEntries(COLUMN_OF_EACH.map(([term, column]) => [column, terms[term]])),
  format: formatFor(terms),
});

/** The terms that Redis knows. */
export const windowOf = ({
  opensAt,
  closesAt,
  birth,
  parts,
  paced,
  format,
}: Pick<ActivityTerms, 'opensAt' | 'closesAt' | 'parts'> & {
  readonly birth: string;
  readonly format: number;
  readonly paced?: readonly PacedBatch[];
}): Window => ({ opensAtMs: opensAt.getTime(), closesAtMs: closesAt.getTime(), birth, parts, paced, format });
