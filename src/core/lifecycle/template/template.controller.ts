import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, type Caller, CurrentCaller, IdParam } from '../../../platform/http';
import { activityNotFound } from '../../activity';
import { TemplateDto } from './template.dto';
import { Templates } from './templates';

@ApiTags('activities')
@Allow('read')
@Controller('v1/activities/:id/template')
export class TemplateController {
  constructor(private readonly templates: Templates) {}

  @Get()
  @ApiOperation({
    operationId: 'readActivityTemplate',
    summary: 'Read the terms of an activity',
    description:
      'For the sponsor and staff. With `opensAt` and `closesAt` added, the answer is the body of a new activity.',
  })
  @ApiOkResponse({ type: TemplateDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<TemplateDto> {
    return this.templates.readTemplate(id, caller);
  }
}
