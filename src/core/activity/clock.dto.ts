import { ApiProperty } from '@nestjs/swagger';
import { IsId, Omittable } from '../../platform/http';

export class ClockQuery {
  @Omittable({
    description:
      'The activity whose window is in question. In a Redis Cluster each activity follows the clock of its master.',
  })
  @IsId()
  readonly activityId?: string;
}

export class ClockDto {
  @ApiProperty({ format: 'date-time', description: 'The time by the clock that decides the window.' })
  readonly now!: string;
}
