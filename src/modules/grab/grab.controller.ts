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
import { Currency } from '../../platform/config';
import { Allow, ApiProblems, type Caller, CurrentCaller, IdParam } from '../../platform/http';
import { type GrabDto, RefusedGrabDto, RepeatedGrabDto, ReservedGrabDto, WonGrabDto } from './grab.dto';
import { activityLoading, activityNotFound } from '../activity';
import { backlogFull, dispenserAway, lookupsFull } from './grab.error';
import type { GrabOutcome } from './grab-outcome';
import { GrabService } from './grab.service';
import { redPacketId } from '../../../libs/red-packet-id';

const example = (value: GrabDto) => ({ summary: `code ${value.code}`, value });

@ApiTags('grabs')
@ApiExtraModels(WonGrabDto, RepeatedGrabDto, ReservedGrabDto, RefusedGrabDto)
@Controller('v1/activities/:id/grabs')
export class GrabController {
  constructor(
    private readonly grabs: GrabService,
    private readonly currency: Currency,
  ) {}

  @Post()
  @HttpCode(HttpStatus.OK)
  @Allow('play')
  @ApiOperation({
    summary: 'Grab a packet',
    description:
      'No body. One packet per user: asking again returns the same one, so a client may repeat this call at will. ' +
      'Sold out, not open and closed are answers, not errors.',
  })
  @ApiOkResponse({
    description: 'How it went.',
    schema: { $ref: getSchemaPath('GrabDto') },
    examples: {
      won: example({ code: '0', redPacketId: '10000042', amount: '7.10' }),
      already: example({ code: '1', redPacketId: '10000042', amount: '7.10' }),
      soldOut: example({ code: '-1', reason: 'sold-out' }),
      notOpen: example({ code: '-1', reason: 'not-open', opensAt: '2031-02-01T12:00:00.000Z' }),
      closed: example({ code: '-1', reason: 'closed' }),
    },
  })
  @ApiAcceptedResponse({
    schema: { $ref: getSchemaPath('GrabDto') },
    description:
      'Reserved for you and not yet confirmed: ask again. It will be confirmed and paid even if you do not, unless Redis loses it first.',
    example: { code: '2', redPacketId: '10000042' },
  })
  @ApiProblems(activityNotFound, activityLoading, dispenserAway, lookupsFull, backlogFull)
  async grab(
    @IdParam() activityId: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GrabDto> {
    const outcome = await this.grabs.grab(activityId, caller.userId);
    if (outcome.kind === 'reserved') reply.statusCode = HttpStatus.ACCEPTED;
    return this.answer(activityId, outcome);
  }

  private answer(activityId: string, outcome: GrabOutcome): GrabDto {
    switch (outcome.kind) {
      case 'won':
      case 'already':
        return {
          code: outcome.kind === 'won' ? '0' : '1',
          redPacketId: redPacketId(activityId, outcome.packet.no),
          amount: this.currency.format(outcome.packet.amountMinor),
        };
      case 'reserved':
        return { code: '2', redPacketId: redPacketId(activityId, outcome.packet.no) };
      case 'not-open':
        return { code: '-1', reason: 'not-open', opensAt: new Date(outcome.opensAtMs).toISOString() };
      case 'sold-out':
      case 'closed':
        return { code: '-1', reason: outcome.kind };
    }
  }
}
