import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOneOf, IsText, IsPersonId, Omittable, PageQuery, personIdSchema } from '../../platform/http';
import { type Admission, ADMISSIONS, PlainTerms } from './activity-terms';
import { BackingField } from '../currency';
import { AudienceField } from './audience-definition';
import { OutletField } from '../outlet';
import { Theme } from './theme.dto';
import { type AnyPaceBody, PACE_BODIES, PACE_SCHEMA } from './pace.dto';

export const PHASES = ['scheduled', 'open', 'sold-out', 'closed', 'settled'] as const;
export type Phase = (typeof PHASES)[number];

export class ActivitiesQuery extends PageQuery {
  @Omittable({ enum: PHASES, description: 'Only activities in this phase.' })
  @IsOneOf(PHASES)
  readonly phase?: Phase;

  @Omittable({ ...personIdSchema, description: 'Only activities of this sponsor.' })
  @IsPersonId()
  readonly sponsorId?: string;

  @Omittable({
    minLength: 1,
    maxLength: 100,
    description: 'Only activities whose name contains this text. The case of A to Z is ignored.',
  })
  @IsText({ min: 1, max: 100 })
  readonly name?: string;
}

@ApiExtraModels(...PACE_BODIES)
export class ActivityDto extends PlainTerms {
  @ApiProperty({ enum: ADMISSIONS, description: '`ticket`: a tap needs a ticket from the sponsor.' })
  override readonly admission!: Admission;

  @ApiProperty({ description: 'After the end, everyone may read its largest packets.' })
  override readonly showsBestLuck!: boolean;

  @ApiProperty({ example: '1' })
  readonly id!: string;

  @ApiProperty({ enum: PHASES, description: '`settled`: closed, and no claim is unpaid.' })
  readonly phase!: Phase;

  @ApiProperty({ example: false })
  readonly cancelled!: boolean;

  @ApiProperty({ example: 'u1' })
  readonly sponsorId!: string;

  @ApiProperty({ example: '1000.00' })
  readonly totalAmount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @BackingField('shown')
  readonly rehearsal?: true;

  @ApiProperty({ type: 'integer', example: 200 })
  readonly packetCount!: number;

  @ApiProperty({
    type: 'integer',
    example: 1,
    minimum: 1,
    description: 'The number of parts in Redis over which its packets are dealt.',
  })
  readonly parts!: number;

  @OutletField('shownTerms')
  readonly payout?: object | null;

  @ApiPropertyOptional({
    ...PACE_SCHEMA,
    description: 'How the packets it was created with are released. Omitted if all can be won at once.',
  })
  readonly pace?: AnyPaceBody;

  @ApiProperty({ type: Theme, nullable: true, description: 'The look of its page. Null without a theme.' })
  readonly theme!: Theme | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uri-reference',
    example: '/v1/activities/1/logo',
    description:
      'Path of its logo, or the logo as a data URL if the activity is not public. Null without one.',
  })
  readonly logo!: string | null;

  @AudienceField('shownTerms')
  readonly audience?: object;

  @ApiProperty({ format: 'date-time' })
  readonly opensAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly closesAt!: string;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly closedAt!: string | null;
}
