import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsObject, Matches, ValidateNested } from 'class-validator';
import { exampleInstant, IsMoney, IsText, Optional } from '../../platform/http';

const PROFILE_RULE = 'must be a profile';

export const ZONE_RULE = 'must be the IANA name of a time zone';

export class ChannelProfileBody {
  @ApiProperty({ example: '1.00', description: 'The smallest payout.' })
  @IsMoney()
  readonly smallest!: string;

  @Optional({ example: '200.00', description: 'The largest payout. No limit when left out.' })
  @IsMoney()
  readonly largest?: string;

  @Optional({ example: '500.00', description: 'All payouts of a user within a day. No limit when left out.' })
  @IsMoney()
  readonly perUserPerDay?: string;

  @Optional({
    example: 'Asia/Shanghai',
    default: 'UTC',
    description: 'The zone in which days begin, by its IANA name.',
  })
  @Matches(/^[A-Za-z][\w+/-]{0,50}$/, { message: ZONE_RULE })
  readonly timeZone?: string;
}

export class CreateChannelBody {
  @ApiProperty({ example: 'Shop balance', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name!: string;

  @ApiProperty({ type: ChannelProfileBody })
  @IsObject({ message: PROFILE_RULE })
  @ValidateNested({ message: PROFILE_RULE })
  @Type(() => ChannelProfileBody)
  readonly profile!: ChannelProfileBody;
}

export class ChangeChannelBody {
  @Optional({ example: 'Shop balance', minLength: 1, maxLength: 100 })
  @IsText({ min: 1, max: 100 })
  readonly name?: string;

  @Optional({ type: ChannelProfileBody, description: 'The whole profile; the old one is replaced.' })
  @IsObject({ message: PROFILE_RULE })
  @ValidateNested({ message: PROFILE_RULE })
  @Type(() => ChannelProfileBody)
  readonly profile?: ChannelProfileBody;

  @Optional({ example: true, description: 'A paused channel takes no new payouts.' })
  @IsBoolean({ message: 'must be true or false' })
  readonly paused?: boolean;
}

export class ChannelProfileDto {
  @ApiProperty({ example: '1.00' })
  readonly smallest!: string;

  @ApiProperty({ type: String, nullable: true, example: '200.00' })
  readonly largest!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '500.00' })
  readonly perUserPerDay!: string | null;

  @ApiProperty({ example: 'Asia/Shanghai' })
  readonly timeZone!: string;
}

export class ChannelDto {
  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ example: 'Shop balance' })
  readonly name!: string;

  @ApiProperty({ type: ChannelProfileDto })
  readonly profile!: ChannelProfileDto;

  @ApiProperty({ example: false })
  readonly paused!: boolean;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly createdAt!: string;
}

export class ChannelListDto {
  @ApiProperty({ type: [ChannelDto] })
  readonly items!: ChannelDto[];
}
