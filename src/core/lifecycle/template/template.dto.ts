import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AudienceField, PlainTerms, Theme } from '../../activity';
import { BackingField } from '../../currency';
import { OutletField } from '../../outlet';
import { type AnySplitBody, SPLIT_SCHEMA } from '../split.dto';

export class TemplateDto extends PlainTerms {
  @ApiProperty({ example: 'sponsor-1' })
  readonly sponsorId!: string;

  @ApiProperty({ example: '1000.00', description: 'The total without top-ups.' })
  readonly totalAmount!: string;

  @ApiPropertyOptional({ example: 'CNY', description: 'Left out if it is the default currency.' })
  readonly currency?: string;

  @BackingField('shown')
  readonly rehearsal?: true;

  @ApiProperty({ type: 'integer', example: 200 })
  readonly packetCount!: number;

  @ApiProperty({ ...SPLIT_SCHEMA, example: { kind: 'random', min: '0.01', max: '20.00' } })
  readonly split!: AnySplitBody;

  @OutletField('repeatedTerms')
  readonly payout?: object;

  @AudienceField('repeatedTerms')
  readonly audience?: object;

  @ApiPropertyOptional({ type: Theme, description: 'Left out if it has none.' })
  readonly theme?: Theme;
}
