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
    operationId: 'openGateway',
    summary: 'Open a WebSocket for taps and events',
    description:
      `The subprotocol is \`${PROTOCOL}\`; the AsyncAPI document at \`/asyncapi.json\` describes its frames. ` +
      'Browsers, which cannot send headers, offer `bearer.<token>` as a second subprotocol.\n\n' +
      'A browser does not show why a WebSocket was refused. The same request without an `Upgrade` header is answered with ' +
      'the problem, or with 426 if the WebSocket would have been opened.',
  })
  @ApiResponse({ status: 101, description: 'The WebSocket is open.' })
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
