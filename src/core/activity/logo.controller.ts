import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProblems, busy, IdParam, Public } from '../../platform/http';
import { logoNotFound } from './activity.error';
import { ActivityService } from './activity.service';

const IMAGE = { schema: { type: 'string' as const, format: 'binary' } };

@ApiTags('activities')
@Controller('v1/activities/:id/logo')
export class LogoController {
  constructor(private readonly activities: ActivityService) {}

  /** An element of a page brings no token. Pages of other hosts may show it as well. */
  @Get()
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Header('cross-origin-resource-policy', 'cross-origin')
  @ApiOperation({
    operationId: 'readActivityLogo',
    summary: 'Read the logo of an activity',
    description: 'Public, and cached for five minutes.',
  })
  @ApiOkResponse({ content: { 'image/png': IMAGE, 'image/webp': IMAGE } })
  @ApiProblems(logoNotFound, busy)
  async read(@IdParam() id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Buffer> {
    const { type, bytes } = await this.activities.logo(id);
    reply.header('content-type', type);
    return bytes;
  }
}
