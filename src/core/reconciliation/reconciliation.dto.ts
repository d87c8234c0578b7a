import { ApiProperty } from '@nestjs/swagger';
import { type Phase, PHASES } from '../activity';

class ClaimCountsDto {
  @ApiProperty({ type: 'integer', example: 195 })
  readonly credited!: number;

  @ApiProperty({ type: 'integer', example: 4 })
  readonly pending!: number;

  @ApiProperty({ type: 'integer', example: 1 })
  readonly dead!: number;

  @ApiProperty({ type: 'integer', example: 0 })
  readonly void!: number;
}

class CreditsDto {
  @ApiProperty({ example: '20.00' })
  readonly amount!: string;

  @ApiProperty({ type: 'integer', example: 4 })
  readonly claims!: number;
}

class CreditPlacesDto {
  @ApiProperty({ description: 'Credited to wallets, and not sent on by the activity.' })
  readonly kept!: CreditsDto;

  @ApiProperty({ description: 'Being paid out, in payouts that have not ended.' })
  readonly sent!: CreditsDto;

  @ApiProperty({ description: 'Paid out.' })
  readonly paid!: CreditsDto;
}

class PacketCountsDto {
  @ApiProperty({ type: 'integer', example: 200 })
  readonly total!: number;

  @ApiProperty({ type: 'integer', example: 200 })
  readonly claimed!: number;
}

class RedisStandingDto {
  @ApiProperty({ enum: ['newer', 'loading', 'open', 'closing', 'closed', 'missing', 'away'] })
  readonly status!: 'newer' | 'loading' | 'open' | 'closing' | 'closed' | 'missing' | 'away';

  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  readonly packetsLeft!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 200,
    description: 'Packets that are reserved or confirmed.',
  })
  readonly held!: number | null;

  @ApiProperty({
    description:
      'Whether Redis agrees with Postgres. While the activity is active: it is open in Redis, and the ' +
      'packets left and held add up to all packets, except for a moment during a top-up. Once it has ' +
      'ended: no packets are left and as many are held as are claimed, or Redis holds nothing of the ' +
      'activity. Also true, for a minute at most, while the activity is being loaded into Redis or removed ' +
      'from it.',
  })
  readonly agrees!: boolean;
}

class CheckDto {
  @ApiProperty({ example: 'escrow = funded - credited - void - refunded' })
  readonly name!: string;

  @ApiProperty()
  readonly holds!: boolean;
}

export class ReconciliationDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({
    enum: PHASES,
    description:
      'The phase at the moment of these figures, from the same rows and the same reading of Redis.',
  })
  readonly phase!: Phase;

  @ApiProperty({ example: false })
  readonly cancelled!: boolean;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly closedAt!: string | null;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ example: '1000.00', description: 'Moved from the sponsor into escrow, including top-ups.' })
  readonly funded!: string;

  @ApiProperty({ example: '980.00', description: 'Paid into wallets.' })
  readonly credited!: string;

  @ApiProperty({
    description: 'Where the money that was paid into wallets is: three sums that make up `credited`.',
  })
  readonly credits!: CreditPlacesDto;

  @ApiProperty({ example: '15.00', description: 'Claimed, but not paid yet.' })
  readonly pending!: string;

  @ApiProperty({
    example: '5.00',
    description: 'Claimed, in dead letters that are open or were resolved without a payment.',
  })
  readonly dead!: string;

  @ApiProperty({
    example: '0.00',
    description:
      'Claimed, declared void and returned to the sponsor, who may have funded new packets with it.',
  })
  readonly void!: string;

  @ApiProperty({ example: '0.00', description: 'Returned to the sponsor at the end.' })
  readonly refunded!: string;

  @ApiProperty({ example: '0.00', description: 'In unclaimed packets, until the close.' })
  readonly unclaimed!: string;

  @ApiProperty({ example: '20.00' })
  readonly escrowBalance!: string;

  @ApiProperty()
  readonly packets!: PacketCountsDto;

  @ApiProperty()
  readonly claims!: ClaimCountsDto;

  @ApiProperty()
  readonly redis!: RedisStandingDto;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    nullable: true,
    example: 0.4,
    description: 'Age of the oldest pending claim. Null if there is none.',
  })
  readonly oldestPendingSeconds!: number | null;

  @ApiProperty({ type: [CheckDto] })
  readonly checks!: CheckDto[];

  @ApiProperty({ enum: ['balanced', 'broken'], description: 'broken: a check does not hold.' })
  readonly verdict!: 'balanced' | 'broken';
}
