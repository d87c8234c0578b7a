import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, Probe } from '../../platform/http';
import { version } from '../../platform/version';
import { DependenciesDto, LiveDto, ReadyDto } from './health.dto';
import { dependenciesFail, notReady } from './health.error';
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
  @ApiOkResponse({ type: ReadyDto, description: 'It has started on a schema that fits, and is not leaving.' })
  @ApiProblems(notReady)
  async ready(): Promise<ReadyDto> {
    return { status: 'ready', checks: await this.health.ready() };
  }

  @Get('dependencies')
  @Probe()
  @ApiOperation({
    summary: 'Is all well with Postgres, Redis and settlement?',
    description:
      'For people and their alarms, not for balancers: an engine that is away is away for every process, and each of them ' +
      'still gives honest answers.',
  })
  @ApiOkResponse({ type: DependenciesDto, description: 'All is well.' })
  @ApiProblems(dependenciesFail)
  async dependencies(): Promise<DependenciesDto> {
    return { status: 'ok', checks: await this.health.dependencies() };
  }
}
