import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant } from '../../platform/http';

const PSEUDONYM_EXAMPLE = `erased-${'0123456789abcdef'.repeat(2)}`;

const STATUSES = ['requested', 'begun', 'done', 'withdrawn'] as const;

export type ErasureStatus = (typeof STATUSES)[number];

export class ErasureDto {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({
    enum: STATUSES,
    description:
      'The operators of the installation carry it out: `npm run erasure`. A `begun` erasure has a ' +
      'pseudonym, but is not finished.',
  })
  readonly status!: ErasureStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Null once it is done or withdrawn.',
  })
  readonly userId!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: PSEUDONYM_EXAMPLE,
    description: 'Replaces the id. Null before anything has happened.',
  })
  readonly pseudonym!: string | null;

  @ApiProperty({ example: 'operator-1', description: 'Who approved it.' })
  readonly requestedBy!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(-1) })
  readonly requestedAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: exampleInstant(0) })
  readonly doneAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  readonly withdrawnBy!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  readonly withdrawnAt!: string | null;
}

export class UnderWayDto {
  @ApiProperty({
    example: 'payout',
    description:
      '`balance`, `frozen-wallet`, `activity`, `claim`, `dead-letter`, `payout`, `payout-finding`, `series`, ' +
      '`thanks`, `approval`, or `erasure`: the person is being forgotten already.',
  })
  readonly what!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '7',
    description: 'The currency of a wallet, or the id of anything else.',
  })
  readonly id!: string | null;
}

export class StandingDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ type: [UnderWayDto], description: 'What has to end first, at most 21 entries.' })
  readonly underWay!: readonly UnderWayDto[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'Until when records have to be kept: `ERASURE_KEEP_DAYS` after the last movement. Null if that is over.',
  })
  readonly keptUntil!: string | null;
}
