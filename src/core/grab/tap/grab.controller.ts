import { Controller, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Allow, ApiProblems, type Caller, CurrentCaller, IdParam } from '../../../platform/http';
import { type GrabDto, RefusedGrabDto, RepeatedGrabDto, ReservedGrabDto, WonGrabDto } from './grab.dto';
import {
  activityArchived,
  activityLoading,
  activityNewer,
  activityNotFound,
  JudgesVisibility,
} from '../../activity';
import { backlogFull, lookupsFull } from '../confirm/confirm.error';
import { dispenserAway } from '../draw/draw.error';
import { type TapOptions, TapOptionsParam } from '../admission/tap-options';
import { TAP_RIGHT, TapService } from './tap.service';

const example = (value: GrabDto) => ({ summary: `code ${value.code}`, value });

@ApiTags('grabs')
@ApiExtraModels(WonGrabDto, RepeatedGrabDto, ReservedGrabDto, RefusedGrabDto)
@Controller('v1/activities/:id/grabs')
export class GrabController {
  constructor(private readonly taps: TapService) {}

  @Post()
  @JudgesVisibility()
  @HttpCode(HttpStatus.OK)
  @Allow(TAP_RIGHT)
  @ApiOperation({
    operationId: 'grabPacket',
    summary: 'Grab a packet',
    description:
      'Takes no body. A user gets one packet; a repeated request returns the same packet, so clients may repeat it ' +
      'freely. `sold-out`, `limit`, `not-open`, `not-yet` and `closed` are answers, not errors.',
  })
  @ApiOkResponse({
    description: 'The outcome.',
    schema: { $ref: getSchemaPath('GrabDto') },
    examples: {
      won: example({ code: '0', redPacketId: '10000042', amount: '7.10' }),
      already: example({ code: '1', redPacketId: '10000042', amount: '7.10' }),
      soldOut: example({ code: '-1', reason: 'sold-out' }),
      notOpen: example({ code: '-1', reason: 'not-open', opensAt: '2031-02-01T12:00:00.000Z' }),
      notYet: example({ code: '-1', reason: 'not-yet', nextAt: '2031-02-01T12:05:01.250Z' }),
      closed: example({ code: '-1', reason: 'closed' }),
      limit: example({ code: '-1', reason: 'limit' }),
    },
  })
  @ApiAcceptedResponse({
    schema: { $ref: getSchemaPath('GrabDto') },
    description:
      'The packet is reserved but not confirmed yet: ask again. It is confirmed and paid even if the client does not ' +
      'ask, unless Redis loses the reservation first.',
    example: { code: '2', redPacketId: '10000042' },
  })
  @ApiProblems(
    activityNotFound,
    activityArchived,
    activityLoading,
    activityNewer,
    dispenserAway,
    lookupsFull,
    backlogFull,
  )
  grab(
    @IdParam() activityId: string,
    @CurrentCaller() caller: Caller,
    @TapOptionsParam() options: TapOptions,
    @Res({ passthrough: true }) reply: Pick<FastifyReply, 'statusCode'>,
  ): Promise<GrabDto> {
    return this.taps.answerTap(activityId, caller, options, reply);
  }
}
