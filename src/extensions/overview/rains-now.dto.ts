import { ApiProperty } from '@nestjs/swagger';
import { ActivityDto } from '../../core/activity';
import { exampleInstant } from '../../platform/http';

export class RainsNowDto {
  @ApiProperty({
    format: 'date-time',
    example: exampleInstant(0),
    description: 'The time by the clock of Postgres.',
  })
  readonly at!: string;

  @ApiProperty({
    type: [ActivityDto],
    description:
      'Running activities, at most 100: the largest of each currency, the default first, then the second largest, and so on.',
  })
  readonly running!: ActivityDto[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 13,
    description: 'The number of all running activities; at most 10,000 are counted.',
  })
  readonly runningCount!: number;

  @ApiProperty({
    type: [ActivityDto],
    description: 'The activities that open next, the soonest first; at most 10.',
  })
  readonly next!: ActivityDto[];
}
