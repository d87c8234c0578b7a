import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SaidThanksDto } from './thanks.dto';

export class ReceivedTotalDto {
  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 88 })
  readonly packets!: number;

  @ApiProperty({ example: '365.20' })
  readonly amount!: string;

  @ApiProperty({
    example: true,
    description: 'False while older packets have not been counted. Ask again; counting continues.',
  })
  readonly isComplete!: boolean;
}

export const packetMarks = {
  thanks: applyDecorators(
    ApiPropertyOptional({
      type: SaidThanksDto,
      description: 'The thanks of the winner to the sender. Left out if there are none.',
    }),
  ),
  totals: ApiPropertyOptional({
    type: [ReceivedTotalDto],
    description:
      'The sums of all credited packets by currency. On the first page of a list without `activityId`. Packets that ' +
      'were archived before they were counted are missing.',
  }),
};
