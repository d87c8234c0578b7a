import { ApiProperty } from '@nestjs/swagger';
import { CurrencyQuery, IsId, IsUserId, Omittable, PageQuery, userIdSchema } from '../../platform/http';
import { SETTLEMENTS } from './won-packet.repository';

export class GrabsQuery extends PageQuery {
  @Omittable({ ...userIdSchema, description: 'Only the packet of this user.' })
  @IsUserId()
  readonly userId?: string;

  @Omittable({ description: 'Only this packet, if somebody has won it.' })
  @IsId()
  readonly redPacketId?: string;
}

export class MyPacketsQuery extends PageQuery {
  @Omittable({ description: 'Only the packet of this activity: one item or none.' })
  @IsId()
  readonly activityId?: string;

  @CurrencyQuery('Only packets in this currency, a code of `GET /v1/currencies`; with `activityId`, of any.')
  readonly currency?: string;
}

export class WonPacketDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    enum: SETTLEMENTS,
    description:
      'State of the payment into the wallet. `void`: it will never be paid. `sent` and `paid`: it is on its way out ' +
      'through the channel of the activity, or has arrived.',
  })
  readonly settlement!: (typeof SETTLEMENTS)[number];

  @ApiProperty({ format: 'date-time' })
  readonly confirmedAt!: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly creditedAt!: string | null;
}

export class GrabbedPacketDto extends WonPacketDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '42', description: 'The claim, as dead letters and holds name it.' })
  readonly claimId!: string;
}

export class LuckDto {
  @ApiProperty({ example: 'a***n', description: 'The user id, but for its ends.' })
  readonly user!: string;

  @ApiProperty({ example: '8.88' })
  readonly amount!: string;

  @ApiProperty({ example: false, description: 'It is the packet of the caller.' })
  readonly isMine!: boolean;
}

export class BestLuckDto {
  @ApiProperty({ type: [LuckDto], description: 'Ten at most, the largest first.' })
  readonly items!: LuckDto[];
}
