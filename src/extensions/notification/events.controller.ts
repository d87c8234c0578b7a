import { Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { must } from '../../../libs/problem';
import {
  AcceptsTicket,
  Allow,
  ApiProblems,
  type Caller,
  CountsAs,
  CurrentCaller,
  invalidField,
} from '../../platform/http';
import { type TapOptions, KeysParam } from '../../core/grab';
import { ActivityEventDto, PACKET_EXAMPLES, PacketEventDto } from '../../core/news';
import { ANY_DATA, ANY_EVENT } from './describe-events';
import { EventGateway } from './event-gateway';
import { EventStream } from './event-sink';
import { EventTickets, keysOf } from './event-tickets';
import { EVENT_ID, EventsQuery, EventTicketDto } from './events.dto';
import { eventsUnavailable, tooManyConnections, tooManyTickets, tooManyWatched } from './notification.error';

const EVENT_STREAM = 'text/event-stream';

const EXAMPLE = [
  'id: 1924992000000000',
  '',
  'id: 1924992000123456',
  'event: wallet.credited',
  `data: ${JSON.stringify(PACKET_EXAMPLES['wallet.credited'])}`,
  '',
  '',
].join('\n');

@ApiTags('events')
@ApiExtraModels(ActivityEventDto, PacketEventDto)
@Controller('v1/me/events')
export class EventsController {
  constructor(
    private readonly gateway: EventGateway,
    private readonly tickets: EventTickets,
  ) {}

  @Post('tickets')
  @Allow('read')
  @ApiOperation({
    operationId: 'createEventTicket',
    summary: 'Get a ticket for my events',
    description:
      'For `EventSource` in browsers, which cannot send a token: `/v1/me/events?ticket=…` within half a minute. A ' +
      'ticket opens one connection. An `EventSource` that has lost its connection needs a new ticket, and ' +
      '`lastEventId` so that it misses nothing.',
  })
  @ApiCreatedResponse({ type: EventTicketDto, description: 'A ticket.' })
  @ApiProblems(tooManyTickets, eventsUnavailable)
  ticket(@CurrentCaller() caller: Caller, @KeysParam() headers: TapOptions): Promise<EventTicketDto> {
    return this.tickets.issue(caller, headers);
  }

  @Get()
  @CountsAs(5)
  @Allow('read')
  @AcceptsTicket()
  @ApiOperation({
    operationId: 'listenToEvents',
    summary: 'Stream my events',
    description:
      'Server-Sent Events. An event has the lines `id`, `event` and `data`, followed by an empty line. An `id` alone is a ' +
      'heartbeat.\n\n' +
      `- \`event\`: ${ANY_EVENT}.\n` +
      `- \`data\`: JSON, ${ANY_DATA}. Webhooks receive the same. \`messageId\` identifies the event: an event that ` +
      'arrives twice, which is rare, has the same one.\n' +
      '- `id`: the position of this client in the stream, for `Last-Event-ID`.\n\n' +
      'Events begin with the first connection. A client that reconnects within five minutes with `Last-Event-ID` misses ' +
      'none. A later one receives `resync` with `{}` and should read `/v1/me/packets`. The connection ends after 15 minutes.',
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The `id` of the last event that was read.',
    schema: { type: 'string', pattern: EVENT_ID.source },
  })
  @ApiProduces(EVENT_STREAM)
  @ApiOkResponse({
    description: 'Events, as they happen.',
    content: { [EVENT_STREAM]: { schema: { type: 'string' }, example: EXAMPLE } },
  })
  @ApiProblems(tooManyConnections, tooManyWatched, eventsUnavailable)
  async listen(
    @CurrentCaller() caller: Caller,
    @KeysParam() headers: TapOptions,
    @Query() { activityId, lastEventId }: EventsQuery,
    @Headers('last-event-id') lastHeard: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (lastHeard !== undefined && !EVENT_ID.test(lastHeard)) throw notAnEventId();
    if (reply.request.method === 'HEAD') return void reply.type(EVENT_STREAM).send();
    const activityIds = activityId === undefined ? [] : [activityId];
    const lastPosition = lastHeard ?? lastEventId;
    const keys = keysOf(caller, headers);
    await this.gateway.serve({ caller, keys, activityIds, lastPosition }, () => takeOver(reply));
  }
}

/** Takes the response from Fastify, to write it by hand. The hooks' headers stay. */
function takeOver(reply: FastifyReply): EventStream {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': EVENT_STREAM,
    'x-accel-buffering': 'no',
  });
  return new EventStream(reply.raw);
}

const notAnEventId = (): Error => invalidField('Last-Event-ID', must.beA('event-id'));
