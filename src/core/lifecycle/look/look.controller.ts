import { Body, Controller, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Heavy,
  IdParam,
} from '../../../platform/http';
import { ActivityDto, activityNotFound } from '../../activity';
import { ChangeLookBody, LOOK_EXAMPLES } from './look.dto';
import { LookService } from './look.service';

@ApiTags('activities')
@Allow('sponsor')
@Controller('v1/activities')
export class LookController {
  constructor(private readonly looks: LookService) {}

  @Patch(':id')
  @Heavy(20)
  @ApiExamples(ChangeLookBody, LOOK_EXAMPLES)
  @ApiOperation({
    operationId: 'changeActivityLook',
    summary: 'Change the look of an activity',
    description:
      'For the sponsor and staff, at any time. Changes only the fields that are given. Terms are committed to and ' +
      'never change.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound)
  change(
    @IdParam() id: string,
    @Body() body: ChangeLookBody,
    @CurrentCaller() caller: Caller,
  ): Promise<ActivityDto> {
    return this.looks.change(caller, id, body);
  }
}
