import { ApiProperty } from '@nestjs/swagger';
import { userIdSchema } from '../../platform/http';

export class WaitingPlaceDto {
  @ApiProperty({ example: '1' })
  readonly activityId!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 12, description: 'Position 1 gets the next packet.' })
  readonly position!: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 300, description: 'Number of waiting users.' })
  readonly waiting!: number;
}

export class WaitingUserDto {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 1,
    description: 'The first in line gets the next packet.',
  })
  readonly position!: number;

  @ApiProperty({ ...userIdSchema, example: 'u1' })
  readonly userId!: string;
}
