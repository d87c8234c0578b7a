import { ApiProperty } from '@nestjs/swagger';
import { CurrencyField, IsId, IsMoney } from '../../../platform/http';

export class AskForPayoutBody {
  @ApiProperty({ example: '7.10', description: 'Above zero, as text.' })
  @IsMoney()
  readonly amount!: string;

  @CurrencyField('The currency of the channel, a code of `GET /v1/currencies`.')
  readonly currency?: string;

  @ApiProperty({ example: '1', description: 'The channel that pays it out.' })
  @IsId()
  readonly channelId!: string;
}
