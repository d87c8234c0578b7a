import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateNested } from 'class-validator';
import type { OutletDefinition } from '../../../core/outlet';
import { IsId, IsWholeNumber, Omittable } from '../../../platform/http';
import { PayoutEstimateDto } from './channel.dto';
import { activityUnpayable, channelNotFound, channelPaused } from './channel.error';

const DAYS = { minimum: 1, maximum: 366 };

/** Credits leave automatically, through a channel. */
export class PayoutTerms {
  @ApiProperty({ example: '1', description: 'The channel that pays out what is credited.' })
  @IsId()
  readonly channelId!: string;

  @Omittable({
    type: 'integer',
    example: 1,
    ...DAYS,
    description: 'The days over which `perDay` of the channel may spread the payouts. 1 when left out.',
  })
  @IsWholeNumber(DAYS)
  readonly days?: number;
}

export const payoutTerms: OutletDefinition = {
  fields: {
    terms: applyDecorators(
      Omittable({ type: PayoutTerms, description: 'When left out, credits stay in the wallet.' }),
      ValidateNested(),
      Type(() => PayoutTerms),
    ),
    shownTerms: ApiProperty({
      type: PayoutTerms,
      nullable: true,
      description: 'Null if credits stay in the wallet.',
    }),
    repeatedTerms: ApiPropertyOptional({
      type: PayoutTerms,
      description: 'Left out if credits stay in the wallet.',
    }),
    days: applyDecorators(
      Omittable({
        type: 'integer',
        example: 2,
        ...DAYS,
        description:
          'The days over which `perDay` of the channel may spread the payouts of the whole activity. When left out, ' +
          'as many as they take without the top-up.',
      }),
      IsWholeNumber(DAYS),
    ),
    estimate: ApiPropertyOptional({
      type: PayoutEstimateDto,
      description: 'If `payout` has a channel that is called: how long the payouts take if all is won now.',
    }),
  },
  problems: [activityUnpayable, channelNotFound, channelPaused],
};
