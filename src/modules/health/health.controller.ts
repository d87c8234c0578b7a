import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, Probe } from '../../platform/http';
import { version } from '../../platform/version';
import { LiveDto, ReadyDto } from './health.dto';
import { notReady } from './health.error';
import { HealthService } from './health.service';

@ApiTags('operations')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Probe()
  @ApiOperation({ summary: 'Is this process alive? If not, restart it' })
  @ApiOkResponse({ type: LiveDto, description: 'It answers.' })
  live(): LiveDto {
    return { status: 'live', version };
  }

  @Get('ready')
  @Probe()
  @ApiOperation({ summary: 'Should this process be sent requests? If not, send them elsewhere' })
  @ApiOkResponse({ type: ReadyDto, description: 'It has all it needs.' })
  @ApiProblems(notReady)
  async ready(): Promise<ReadyDto> {
    return { status: 'ready', checks: await this.health.ready() };
  }
}
