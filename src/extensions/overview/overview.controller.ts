import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow } from '../../platform/http';
import { OverviewDto } from './overview.dto';
import { OverviewService } from './overview.service';

@ApiTags('operations')
@Allow('inspect')
@Controller('v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @Get()
  @ApiOperation({
    operationId: 'readOverview',
    summary: 'Open work and recent corrections',
    description: 'A snapshot for people who watch, at most a second old. Alarms belong to the metrics.',
  })
  @ApiOkResponse({ type: OverviewDto })
  read(): Promise<OverviewDto> {
    return this.overview.read();
  }
}
