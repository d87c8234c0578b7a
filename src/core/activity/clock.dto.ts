import { ApiProperty } from '@nestjs/swagger';
import { IsId, Omittable } from '../../platform/http';

export class ClockQuery {
  @Omittable({
    description:
      'The activity whose window is meant. In a Redis Cluster each activity follows the clock of its master.',
  })
  @IsId()
  readonly activityId?: string;
}

export class ClockDto {
  @ApiProperty({ format: 'date-time', description: 'The time of the clock that decides about the window.' })
  readonly now!: string;
}
