import { IsId, Optional } from '../../platform/http';

export class EventsQuery {
  @Optional({
    description: 'An activity whose opening, selling out and closing the caller wants to hear of.',
  })
  @IsId()
  readonly activityId?: string;
}
