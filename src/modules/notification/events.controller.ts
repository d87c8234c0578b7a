import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { activityTopic, userTopic } from '../../../libs/redis-scripts';
import { Allow, ApiProblems, type Caller, CurrentCaller, invalidRequest } from '../../platform/http';
import { EventGateway } from './event-gateway';
import { EventsQuery } from './events.dto';
import { EVENTS } from './notification';
import { eventsUnavailable, tooManyConnections } from './notification.error';

const LAST_EVENT_ID = /^\d{1,16}$/;

@ApiTags('events')
@Controller('v1/me/events')
export class EventsController {
  constructor(private readonly gateway: EventGateway) {}

  @Get()
  @Allow('user', 'operator')
  @ApiOperation({
    summary: 'Listen to what happens to me',
    description:
      `Server-Sent Events: ${EVENTS.map((event) => `\`${event}\``).join(', ')}. \`data\` is JSON with \`activityId\`, ` +
      '`redPacketId`, `amount` and `at` where they apply, and `messageId`: an event that comes twice, which is rare, has ' +
      'the same one. Events begin with the first connection; a client that comes back within five minutes with ' +
      '`Last-Event-ID` misses none, and one that comes later hears `resync`: look at `/v1/me/packets`. The connection ends after a quarter of an hour.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The `id` of the last event that was seen.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblems(tooManyConnections, eventsUnavailable)
  async listen(
    @CurrentCaller() { userId }: Caller,
    @Query() { activityId }: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (lastEventId !== undefined && !LAST_EVENT_ID.test(lastEventId)) throw notAnEventId();
    const mine = userTopic(userId);
    await this.gateway.serve(
      activityId === undefined ? [mine] : [mine, activityTopic(activityId)],
      lastEventId,
      () => takeOver(reply),
    );
  }
}

/** From here on the response is written by hand; the headers that the hooks have set stay. */
function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
  });
  return reply.raw;
}

function notAnEventId(): Error {
  const fields = [{ field: 'Last-Event-ID', message: 'must be the id of an event' }];
  return invalidRequest('The request is not valid.', { fields });
}
