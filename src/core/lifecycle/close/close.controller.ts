import { Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiProblems,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import { activityAlreadyOpen, ActivityDto, activityNotFound, closeUnavailable } from '../../activity';
import { CloseService } from './close.service';

@ApiTags('closing')
@Allow('sponsor')
@Controller('v1/activities')
export class CloseController {
  constructor(private readonly closing: CloseService) {}

  @Post(':id/close')
  @Heavy(20)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'closeActivity',
    summary: 'Close an activity',
    description:
      'For the sponsor and staff. Closes the activity now and refunds unclaimed packets to the sponsor. A repeated ' +
      'request changes nothing.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound, closeUnavailable)
  close(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ActivityDto> {
    return this.closing.close(request, id);
  }

  @Post(':id/cancel')
  @Heavy(20)
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'cancelActivity',
    summary: 'Cancel an activity before it opens',
    description: 'For the sponsor and staff. Refunds the total to the sponsor.',
  })
  @ApiOkResponse({ type: ActivityDto })
  @ApiProblems(activityNotFound, activityAlreadyOpen, closeUnavailable)
  cancel(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ActivityDto> {
    return this.closing.cancel(request, id);
  }
}
