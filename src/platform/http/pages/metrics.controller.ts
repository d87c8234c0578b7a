import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Probe } from '../auth/access';
import { HostMetrics } from '../../telemetry';

@ApiTags('operations')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: HostMetrics) {}

  @Get()
  @Probe()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiOperation({
    operationId: 'readMetrics',
    summary: 'Prometheus metrics of this process and of all processes that share its port',
  })
  @ApiOkResponse({
    content: { 'text/plain': { schema: { type: 'string' } } },
    description: 'Prometheus text format',
  })
  read(): Promise<string> {
    return this.metrics.expose();
  }
}
