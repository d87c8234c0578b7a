import { Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { activityNotFound } from '../../core/activity';
import {
  Allow,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Heavy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../platform/http';
import { noShareCode } from './audience.error';
import { AUDIENCE_BODIES, AudienceDto, ShareCodeDto } from './audience-terms.dto';
import { AudienceService } from './audience.service';

@ApiTags('activities')
@ApiExtraModels(...AUDIENCE_BODIES)
@Controller('v1/activities/:id')
export class AudienceController {
  constructor(private readonly audiences: AudienceService) {}

  @Get('audience')
  @Allow('read')
  @ApiOperation({
    operationId: 'readActivityAudience',
    summary: 'Read the audience of an activity',
    description: 'For the sponsor and staff: its share code, the users it names, or its password.',
  })
  @ApiOkResponse({ type: AudienceDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<AudienceDto> {
    return this.audiences.read(caller, id);
  }

  @Post('share-code')
  @Heavy(20)
  @Allow('sponsor')
  @ApiOperation({
    operationId: 'rotateShareCode',
    summary: 'Give an activity a new share code',
    description:
      'For the sponsor and staff. Links with the former code stop working within two seconds, except for users who ' +
      'already have a packet or are listening.',
  })
  @ApiCreatedResponse({ type: ShareCodeDto })
  @ApiProblems(activityNotFound, noShareCode)
  rotate(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ShareCodeDto> {
    return this.audiences.rotate(request, id);
  }
}
