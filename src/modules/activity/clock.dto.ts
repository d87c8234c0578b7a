import { ApiProperty } from '@nestjs/swagger';
import { IsId, Optional } from '../../platform/http';

export class ClockQuery {
  @Optional({
    description:
      'The activity whose window it is asked for. In a Redis Cluster each has the clock of its master.',
  })
  @IsId()
  readonly activityId?: string;
}

export class ClockDto {
  @ApiProperty({ format: 'date-time', description: 'By the one clock that decides about the window.' })
  readonly now!: string;
}
