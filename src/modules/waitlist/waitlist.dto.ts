import { ApiProperty } from '@nestjs/swagger';

export class WaitingPlaceDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 12,
    description: 'The first in line gets the next packet.',
  })
  readonly position!: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 300, description: 'How many wait.' })
  readonly waiting!: number;
}
