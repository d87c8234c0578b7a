import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  CountsAs,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../platform/http';
import { ThankBody, ThanksDto, ThanksEventDto } from './thanks.dto';
import { packetNotFound, packetVoid, thanksGiven } from './thanks.error';
import { ThanksService } from './thanks.service';

@ApiTags('grabs')
@ApiExtraModels(ThanksEventDto)
@Allow('play')
@Controller('v1/me/packets/:redPacketId/thanks')
export class ThanksController {
  constructor(private readonly thanks: ThanksService) {}

  @Post()
  @CountsAs(10)
  @ApiExamples(ThankBody, { thanks: { text: '谢谢老板' } })
  @ApiOperation({
    operationId: 'thankForPacket',
    summary: 'Say thanks for my packet',
    description:
      'Once per packet, as soon as it is confirmed. Its sender is notified by `packet.thanked`, and sees the thanks ' +
      'in the list of winners.',
  })
  @ApiCreatedResponse({ type: ThanksDto })
  @ApiProblems(packetNotFound, packetVoid, thanksGiven)
  thank(
    @IdParam('redPacketId') redPacketId: string,
    @Body() { text }: ThankBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ThanksDto> {
    return this.thanks.thank(request, redPacketId, text);
  }
}
