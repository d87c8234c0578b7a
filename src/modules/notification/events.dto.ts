import { IsId, Optional } from '../../platform/http';

/** A position in the stream, as it stands in `id`. */
export const EVENT_ID = /^\d{1,16}$/;

export class EventsQuery {
  @Optional({
    description: 'An activity whose opening, selling out and closing the caller wants to hear of.',
  })
  @IsId()
  readonly activityId?: string;
}
