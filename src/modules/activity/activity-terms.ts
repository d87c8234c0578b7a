import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { Window } from '../../../libs/redis-scripts';
import { IsId, IsText, IsWholeNumber, Optional } from '../../platform/http';

export const ADMISSIONS = ['open', 'ticket'] as const;
export type Admission = (typeof ADMISSIONS)[number];

/**
 * Terms that a creation stores as they were sent, and that views and templates show as they are
 * stored. Another term of this kind is declared in this file alone.
 */
export class PlainTerms {
  @ApiProperty({ example: 'New Year rain', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;

  @Optional({
    enum: ADMISSIONS,
    example: 'open',
    description: 'Users who tap: all, or those with a ticket of the sponsor. `open` when left out.',
  })
  @IsIn(ADMISSIONS, { message: `must be one of ${ADMISSIONS.join(', ')}` })
  readonly admission?: Admission;
}

export const PAYOUT_DAYS_MAX = 366;

/** Credits leave by themselves, through a channel. */
export class PayoutTerms {
  @ApiProperty({ example: '1', description: 'The channel that pays out what is credited.' })
  @IsId()
  readonly channelId!: string;

  @Optional({
    type: 'integer',
    example: 1,
    minimum: 1,
    maximum: PAYOUT_DAYS_MAX,
    description: 'The days over which `perDay` of the channel may spread the payouts. 1 when left out.',
  })
  @IsWholeNumber({ minimum: 1, maximum: PAYOUT_DAYS_MAX })
  readonly days?: number;
}

export const plainTerms = ({ name, admission = 'open' }: PlainTerms): Required<PlainTerms> => ({
  name,
  admission,
});

/** The terms never change. */
export interface ActivityTerms extends Required<PlainTerms> {
  readonly sponsorId: string;
  /** The number of parts over which its packets are dealt; 1 for most. */
  readonly parts: number;
  /** Null where credits stay in the wallet. */
  readonly payoutChannelId: string | null;
  readonly opensAt: Date;
  readonly closesAt: Date;
}

const COLUMNS: Readonly<Record<keyof ActivityTerms, string>> = {
  name: 'name',
  admission: 'admission',
  sponsorId: 'sponsor_id',
  parts: 'parts',
  payoutChannelId: 'payout_channel_id',
  opensAt: 'opens_at',
  closesAt: 'closes_at',
};

const COLUMN_OF_EACH = Object.entries(COLUMNS) as [keyof ActivityTerms, string][];

/** The terms in a `select` from `activity`. */
export const TERMS = COLUMN_OF_EACH.map(([term, column]) => `activity.${column} as "${term}"`).join(', ');

export const columnsOf = (terms: ActivityTerms): Record<string, unknown> =>
  Object.fromEntries(COLUMN_OF_EACH.map(([term, column]) => [column, terms[term]]));

/** The terms that Redis knows. */
export const windowOf = ({
  opensAt,
  closesAt,
  birth,
  parts,
}: Pick<ActivityTerms, 'opensAt' | 'closesAt' | 'parts'> & { readonly birth: string }): Window => ({
  opensAtMs: opensAt.getTime(),
  closesAtMs: closesAt.getTime(),
  birth,
  parts,
});
