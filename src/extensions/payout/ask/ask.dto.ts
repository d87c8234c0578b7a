import { ApiProperty } from '@nestjs/swagger';
import { IsId, IsMoney } from '../../../platform/http';

export class AskForPayoutBody {
  @ApiProperty({ example: '7.10', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @ApiProperty({ example: '1', description: 'The channel that pays it out.' })
  @IsId()
  readonly channelId!: string;
}
