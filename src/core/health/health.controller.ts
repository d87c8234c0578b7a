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
  @ApiOperation({ operationId: 'checkLiveness', summary: 'Liveness: restart the process if it fails' })
  @ApiOkResponse({ type: LiveDto, description: 'The process answers.' })
  live(): LiveDto {
    return { status: 'live', version };
  }

  @Get('ready')
  @Probe()
  @ApiOperation({ operationId: 'checkReadiness', summary: 'Readiness: send requests elsewhere if it fails' })
  @ApiOkResponse({
    type: ReadyDto,
    description: 'The process has started, its schema fits, and it is not shutting down.',
  })
  @ApiProblems(notReady)
  async ready(): Promise<ReadyDto> {
    return { status: 'ready', checks: await this.health.ready() };
  }

  @Get('dependencies')
  @Probe()
  @ApiOperation({
    operationId: 'checkDependencies',
    summary: 'State of Postgres, Redis and settlement',
    description:
      'For people and alerts, not for load balancers. An engine that is down is down for all processes, so readiness ' +
      'does not depend on it.',
  })
  @ApiOkResponse({ type: DependenciesDto, description: 'Every dependency works.' })
  @ApiProblems(dependenciesFail)
  async dependencies(): Promise<DependenciesDto> {
    return { status: 'ok', checks: await this.health.dependencies() };
  }
}
