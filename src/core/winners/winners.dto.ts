import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CurrencyQuery, IsId, IsPersonId, Omittable, PageQuery, personIdSchema } from '../../platform/http';
import { PacketField } from './packet-marks';
import { SETTLEMENTS } from './won-packet.repository';

export class GrabsQuery extends PageQuery {
  @Omittable({ ...personIdSchema, description: 'Only the packet of this user.' })
  @IsPersonId()
  readonly userId?: string;

  @Omittable({ description: 'Only this packet, if it has been won.' })
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

/** A packet, and the state of its money. */
export class PacketDto {
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

export class WonPacketDto extends PacketDto {
  @ApiProperty({ example: 'New Year rain' })
  readonly activityName!: string;

  @ApiProperty({ example: 'u1', description: 'The user who has sent it.' })
  readonly sponsorId!: string;

  @ApiPropertyOptional({
    example: 'Acme',
    description: 'The name in the theme of the activity, if it has one.',
  })
  readonly sender?: string;

  @PacketField('thanks')
  readonly thanks?: object;
}

export class GrabbedPacketDto extends PacketDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '42', description: 'The claim, as dead letters and holds name it.' })
  readonly claimId!: string;
}

const FOR_MANAGERS = 'For the sponsor and staff.';

export class ListedGrabDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;

  @ApiProperty({
    example: 'u1',
    description: 'In a public activity, winners see only the ends of the ids of others, such as `a***n`.',
  })
  readonly userId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ format: 'date-time' })
  readonly confirmedAt!: string;

  @ApiPropertyOptional({
    example: true,
    description:
      'The largest packet, the earliest of equals. Left out for all others, while packets are left, and if all hold ' +
      'the same amount.',
  })
  readonly isBest?: true;

  @ApiPropertyOptional({ example: '42', description: `${FOR_MANAGERS} The claim, as dead letters name it.` })
  readonly claimId?: string;

  @ApiPropertyOptional({ enum: SETTLEMENTS, description: `${FOR_MANAGERS} As in the list of my packets.` })
  readonly settlement?: (typeof SETTLEMENTS)[number];

  @ApiPropertyOptional({ format: 'date-time', nullable: true, type: String, description: FOR_MANAGERS })
  readonly creditedAt?: string | null;

  @PacketField('thanks')
  readonly thanks?: object;
}

export class LuckDto {
  @ApiProperty({ example: 'a***n', description: 'The user id, masked except for its ends.' })
  readonly user!: string;

  @ApiProperty({ example: '8.88' })
  readonly amount!: string;

  @ApiProperty({ example: false, description: 'True if it is the packet of the caller.' })
  readonly isMine!: boolean;
}

export class BestLuckDto {
  @ApiProperty({ type: [LuckDto], description: 'Ten at most, the largest first.' })
  readonly items!: LuckDto[];
}
