import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsOneOf, Omittable } from '../../platform/http';
import { GrabbedPacketDto, SETTLEMENTS } from '../../core/winners';
import { EXPORT_FORMATS, type ExportFormat } from './export-format';

export class ExportQuery {
  @Omittable({
    enum: EXPORT_FORMATS,
    description: 'Like `Accept`, for use by people. The parameter takes precedence if both are present.',
  })
  @IsOneOf(EXPORT_FORMATS)
  readonly format?: ExportFormat;
}

const TRANSFER_KINDS = ['fund', 'top-up', 'credit', 'void', 'refund'] as const;
const OUTCOMES = [...SETTLEMENTS, 'unclaimed'] as const;

export class ClaimLineDto extends OmitType(GrabbedPacketDto, ['activityId']) {}

/** Money that went into the escrow of the activity or out of it. */
export class TransferLineDto {
  @ApiProperty({ example: '17' })
  readonly transferId!: string;

  @ApiProperty({ enum: TRANSFER_KINDS })
  readonly kind!: (typeof TRANSFER_KINDS)[number];

  @ApiProperty({ example: 'escrow:1', description: 'The account that paid, as kind and owner.' })
  readonly from!: string;

  @ApiProperty({ example: 'wallet:u1', description: 'The account that was paid.' })
  readonly to!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '42',
    description: 'For a credit, the claim that was paid.',
  })
  readonly claimId!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;
}

/** A credit of an activity with a payout channel. */
export class PayoutLineDto {
  @ApiProperty({ example: '42' })
  readonly claimId!: string;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '7.10', description: 'The credit. A payout may combine several.' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    example: 'paid',
    description:
      'The state of its payout; `unsent` before there is a payout, `released` if it stays in the wallet.',
  })
  readonly state!: string;

  @ApiProperty({ type: String, nullable: true, example: '17' })
  readonly payoutId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'T-2031-0042' })
  readonly externalId!: string | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly endedAt!: string | null;
}

/** A packet of an activity that has ended. */
export class ResultLineDto {
  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ enum: OUTCOMES, description: 'The outcome. `unclaimed`: the sponsor was refunded.' })
  readonly outcome!: (typeof OUTCOMES)[number];

  @ApiProperty({ type: String, nullable: true, example: 'u1', description: 'The winner.' })
  readonly userId!: string | null;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly confirmedAt!: string | null;
}

/** The last line of NDJSON. A file without it is incomplete. */
export class ExportEndDto {
  @ApiProperty({ description: 'Always true.', example: true })
  readonly end!: boolean;

  @ApiProperty({ type: 'integer', example: 200, description: 'Number of lines before this one.' })
  readonly rows!: number;
}
