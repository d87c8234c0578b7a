import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, type Caller, CurrentCaller, IdParam } from '../../platform/http';
import { activityNotFound } from '../activity';
import { BestLuckDto } from './best-luck.dto';
import { BestLuckService } from './best-luck.service';

@ApiTags('grabs')
@Allow('read')
@Controller('v1/activities/:id/best-luck')
export class BestLuckController {
  constructor(private readonly bestLuck: BestLuckService) {}

  @Get()
  @ApiOperation({
    operationId: 'readBestLuck',
    summary: 'Read the largest packets of an activity',
    description:
      'Ten at most, with masked user ids, soon after the end of an activity with `showsBestLuck`; else the list ' +
      'is empty. Void packets are left out. An answer is up to a minute old.',
  })
  @ApiOkResponse({ type: BestLuckDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() activityId: string, @CurrentCaller() { userId }: Caller): Promise<BestLuckDto> {
    return this.bestLuck.of(activityId, userId);
  }
}
