import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Allow, ApiProblems, type Caller, CurrentCaller, Sessions } from '../../platform/http';
import { Gateway } from './gateway';
import { gatewayUnavailable, tooManyConnections, upgradeRequired } from './gateway.error';
import { PROTOCOL } from './handshake';

@ApiTags('events')
@Controller('v1/gateway')
export class GatewayController {
  constructor(
    private readonly gateway: Gateway,
    private readonly sessions: Sessions,
  ) {}

  @Get()
  @Allow('read')
  @ApiOperation({
    summary: 'Tap and listen over one connection',
    description:
      `A WebSocket with the subprotocol \`${PROTOCOL}\`, whose frames the AsyncAPI document at \`/asyncapi.json\` describes. ` +
      'Browsers, which cannot send a token, offer `bearer.` with the token after it as a second subprotocol.\n\n' +
      'A page does not learn why it was refused. The same request without the wish for a WebSocket does: 426 means that ' +
      'a WebSocket would have been opened.',
  })
  @ApiResponse({ status: 101, description: 'From here on, frames.' })
  @ApiProblems(upgradeRequired, tooManyConnections, gatewayUnavailable)
  async connect(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.gateway.serve(request.raw, await this.sessions.begin(request.raw, caller));
    reply.hijack();
  }
}
