import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { must } from '../../../libs/problem';
import { Is, IsAnyText, IsId, Omittable } from '../../platform/http';

export const EVENT_ID = /^\d{1,16}$/;

export class EventsQuery {
  @Omittable({
    description:
      'Also stream the opening, selling out and closing of this activity. Nothing is sent for an activity ' +
      'that does not exist or is over.',
  })
  @IsId()
  readonly activityId?: string;

  @Omittable({
    pattern: EVENT_ID.source,
    description:
      'Like `Last-Event-ID`, for clients that cannot send headers. The header takes precedence if both are present.',
  })
  @Is('isEventId', (value) => typeof value === 'string' && EVENT_ID.test(value), must.beA('event-id'))
  readonly lastEventId?: string;

  /** The guard reads this field. */
  @ValidateIf((_, value) => value !== undefined)
  @IsAnyText()
  readonly ticket?: string;
}

export class EventTicketDto {
  @ApiProperty({
    example: 'yGIPwJ2Y7hCqkXz1Rr8dN0fLmT4vBsEa',
    description: 'The ticket for `?ticket=…` of the event stream. It is valid for one connection.',
  })
  readonly ticket!: string;

  @ApiProperty({ format: 'date-time', description: 'When it expires: half a minute from now.' })
  readonly expiresAt!: string;
}
