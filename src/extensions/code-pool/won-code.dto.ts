import { ApiProperty } from '@nestjs/swagger';

export class WonCodeDto {
  @ApiProperty({ example: '10000042' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '7' })
  readonly poolId!: string;

  @ApiProperty({ example: 'Coffee for a month' })
  readonly poolName!: string;

  @ApiProperty({
    example: 'LUCK-2WQX-88',
    description: 'Always the same for this packet, and shown to nobody else.',
  })
  readonly code!: string;

  @ApiProperty({ format: 'date-time' })
  readonly firstShownAt!: string;
}
