import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, type Caller, CurrentCaller } from '../../platform/http';
import { OverviewDto } from './overview.dto';
import { OverviewService } from './overview.service';
import { RainsNowDto } from './rains-now.dto';
import { RainsNowService } from './rains-now.service';

@ApiTags('operations')
@Allow('inspect')
@Controller('v1/overview')
export class OverviewController {
  constructor(
    private readonly overview: OverviewService,
    private readonly rains: RainsNowService,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'readOverview',
    summary: 'Open work and recent corrections',
    description: 'A snapshot for people to watch, at most a second old. Base alarms on the metrics.',
  })
  @ApiOkResponse({ type: OverviewDto })
  read(): Promise<OverviewDto> {
    return this.overview.read();
  }

  @Get('activities')
  @Allow('read')
  @ApiOperation({
    operationId: 'readActivitiesNow',
    summary: 'Running activities, and those that open next',
    description: 'A snapshot for people to watch, at most a second old.',
  })
  @ApiOkResponse({ type: RainsNowDto })
  readRains(@CurrentCaller() caller: Caller): Promise<RainsNowDto> {
    return this.rains.read(caller);
  }
}
