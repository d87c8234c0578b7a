import { ApiProperty } from '@nestjs/swagger';
import { IsOneOf, IsText, Omittable } from '../../../platform/http';

const ENDABLE = ['open', 'resolved'] as const;

export class VoidBody {
  @ApiProperty({ example: 'The account belongs to a robot.', maxLength: 500 })
  @IsText({ min: 3, max: 500 })
  readonly reason!: string;

  @Omittable({
    enum: ENDABLE,
    default: 'open',
    description:
      'The status that you have read. It keeps a letter that was resolved because its user was paid by ' +
      'hand from being declared void by accident.',
  })
  @IsOneOf(ENDABLE)
  readonly status?: (typeof ENDABLE)[number];
}

export class VoidedClaimDto {
  @ApiProperty({ example: '3' })
  readonly deadLetterId!: string;

  @ApiProperty({ example: '42' })
  readonly claimId!: string;

  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: 'u1' })
  readonly userId!: string;

  @ApiProperty({ example: '7.10', description: 'The amount of the void packet and of the new one.' })
  readonly amount!: string;

  @ApiProperty({ example: 'CNY' })
  readonly currency!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '10000201',
    description:
      'The packet that can be grabbed instead. Null if the activity has ended; then the money stays with the sponsor.',
  })
  readonly redPacketId!: string | null;
}
