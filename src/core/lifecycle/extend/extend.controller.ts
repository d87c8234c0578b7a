import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import { ActivityDto, activityEnded, activityNotFound } from '../../activity';
import { EXTEND_EXAMPLES, ExtendBody } from './extend.dto';
import { ExtendService } from './extend.service';

@ApiTags('activities')
@Allow('sponsor')
@Controller('v1/activities/:id/extend')
export class ExtendController {
  constructor(private readonly extensions: ExtendService) {}

  @Post()
  @Heavy(20)
  @HttpCode(HttpStatus.OK)
  @ApiExamples(ExtendBody, EXTEND_EXAMPLES)
  @ApiOperation({
    operationId: 'extendActivity',
    summary: 'Extend an activity',
    description:
      'For the sponsor and staff, until ten seconds before `closesAt`. Moves `closesAt` to a later instant; it never ' +
      'moves to an earlier one. Plans by which packets are released stay as they are.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound, activityEnded)
  extend(
    @IdParam() id: string,
    @Body() body: ExtendBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ActivityDto> {
    return this.extensions.extend(request, id, body);
  }
}
