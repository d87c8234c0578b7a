import { ApiProperty } from '@nestjs/swagger';
import { exampleInstant } from '../../platform/http';

export class SeenCodeDto {
  @ApiProperty({ example: '10000042', description: 'The packet that gave it.' })
  readonly redPacketId!: string;

  @ApiProperty({ example: '7' })
  readonly poolId!: string;

  @ApiProperty({ example: 'Coffee for a month' })
  readonly poolName!: string;

  @ApiProperty({ format: 'date-time', example: exampleInstant(0) })
  readonly firstShownAt!: string;
}

export class WonCodeDto extends SeenCodeDto {
  @ApiProperty({
    example: 'LUCK-2WQX-88',
    description: 'Always the same for this packet, and shown to nobody else.',
  })
  readonly code!: string;
}
