import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, ValidateIf } from 'class-validator';
import { IsId, Optional } from '../../platform/http';

/** A position in the stream, as it stands in `id`. */
export const EVENT_ID = /^\d{1,16}$/;

export class EventsQuery {
  @Optional({
    description: 'An activity whose opening, selling out and closing the caller wants to hear of.',
  })
  @IsId()
  readonly activityId?: string;

  @Optional({
    pattern: EVENT_ID.source,
    description:
      'The same as `Last-Event-ID`, which counts if both are there, for clients that cannot send headers.',
  })
  @Matches(EVENT_ID, { message: 'must be the id of an event' })
  readonly lastEventId?: string;

  /** The guard reads it. */
  @ValidateIf((_, value) => value !== undefined)
  @IsString({ message: 'must be text' })
  readonly ticket?: string;
}

export class EventTicketDto {
  @ApiProperty({
    example: 'yGIPwJ2Y7hCqkXz1Rr8dN0fLmT4vBsEa',
    description: 'For `?ticket=…` of the event stream, once.',
  })
  readonly ticket!: string;

  @ApiProperty({ format: 'date-time', description: 'Half a minute from now.' })
  readonly expiresAt!: string;
}
