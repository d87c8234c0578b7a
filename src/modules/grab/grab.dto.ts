import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** The answer to a grab. Which fields it has follows from `code`. */
export class GrabDto {
  @ApiProperty({
    enum: ['0', '1', '2', '-1'],
    description:
      '0 won · 1 you already had this packet · 2 reserved, ask again for the confirmation · -1 nothing to get',
  })
  readonly code!: '0' | '1' | '2' | '-1';

  @ApiPropertyOptional({ example: '10000042', description: 'Your packet. The same one for ever.' })
  readonly redPacketId?: string;

  @ApiPropertyOptional({ example: '7.10', description: 'What it holds. Absent until it is confirmed.' })
  readonly amount?: string;

  @ApiPropertyOptional({
    enum: ['sold-out', 'not-open', 'closed'],
    description: 'Why there is nothing to get.',
  })
  readonly reason?: 'sold-out' | 'not-open' | 'closed';

  @ApiPropertyOptional({ format: 'date-time', description: 'When the rain begins; with reason not-open.' })
  readonly opensAt?: string;
}

const SETTLEMENTS = ['pending', 'credited', 'dead-letter', 'void'] as const;

/** A packet that somebody has won. */
export class WonPacketDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '7.10' })
  readonly amount!: string;

  @ApiProperty({
    enum: SETTLEMENTS,
    description: 'Whether the money has reached the wallet; void: it never will.',
  })
  readonly settlement!: (typeof SETTLEMENTS)[number];

  @ApiProperty({ format: 'date-time' })
  readonly confirmedAt!: string;

  @ApiProperty({ format: 'date-time', nullable: true, type: String })
  readonly creditedAt!: string | null;
}

/** … and who. */
export class GrabbedPacketDto extends WonPacketDto {
  @ApiProperty({ example: 'u1' })
  readonly userId!: string;
}
