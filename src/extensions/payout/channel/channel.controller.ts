import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../../platform/http';
import {
  CHANGE_CHANNEL_EXAMPLES,
  ChangeChannelBody,
  ChangedChannelDto,
  ChannelListDto,
  ChannelSecretDto,
  CREATE_CHANNEL_EXAMPLES,
  CreateChannelBody,
  CreatedChannelDto,
} from './channel.dto';
import { ChannelService } from './channel.service';
import { channelInUse, channelNotCalled, channelNotFound, tooManyChannels } from './channel.error';

@ApiTags('payouts')
@Controller('v1/payout-channels')
export class ChannelController {
  constructor(private readonly channels: ChannelService) {}

  @Post()
  @Allow('administer')
  @ApiExamples(CreateChannelBody, CREATE_CHANNEL_EXAMPLES)
  @ApiOperation({
    operationId: 'createPayoutChannel',
    summary: 'Create a payout channel',
    description:
      'A channel is an outside balance system, with the limits of its profile. With a `url`, each payout is sent ' +
      'there, signed as in Standard Webhooks; without one, its back end reads the payouts that wait for it and ' +
      'reports their outcomes.',
  })
  @ApiCreatedResponse({ type: CreatedChannelDto })
  @ApiProblems(tooManyChannels, channelNotFound)
  create(
    @Body() body: CreateChannelBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<CreatedChannelDto> {
    return this.channels.create(request, body);
  }

  @Get()
  @Allow('read')
  @ApiOperation({
    operationId: 'listPayoutChannels',
    summary: 'List payout channels',
    description: 'Newest first. Only staff see where channels are called: for others `url` is null.',
  })
  @ApiOkResponse({ type: ChannelListDto })
  list(@CurrentCaller() caller: Caller): Promise<ChannelListDto> {
    return this.channels.list(caller);
  }

  @Patch(':id')
  @Allow('administer')
  @ApiExamples(ChangeChannelBody, CHANGE_CHANNEL_EXAMPLES)
  @ApiOperation({
    operationId: 'changePayoutChannel',
    summary: 'Change a payout channel',
    description: 'Changes the fields that are given. Existing payouts continue.',
  })
  @ApiOkResponse({ type: ChangedChannelDto })
  @ApiProblems(channelNotFound, channelInUse)
  change(
    @IdParam() id: string,
    @Body() body: ChangeChannelBody,
    @CurrentCaller() caller: Caller,
  ): Promise<ChangedChannelDto> {
    return this.channels.change(caller, id, body);
  }

  @Post(':id/rotate-secret')
  @Allow('administer')
  @ApiOperation({
    operationId: 'rotatePayoutChannelSecret',
    summary: 'Give a payout channel a new secret',
    description:
      'For a day, both the new and the former secret sign what is sent to the URL; an older one no longer does.',
  })
  @ApiCreatedResponse({ type: ChannelSecretDto })
  @ApiProblems(channelNotFound, channelNotCalled)
  rotateSecret(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ChannelSecretDto> {
    return this.channels.rotateSecret(request, id);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Allow('administer')
  @ApiOperation({
    operationId: 'deletePayoutChannel',
    summary: 'Delete a payout channel',
    description: 'Possible once all its payouts have ended.',
  })
  @ApiNoContentResponse({ description: 'The channel is deleted.' })
  @ApiProblems(channelNotFound, channelInUse)
  delete(@IdParam() id: string, @CurrentCaller() caller: Caller): Promise<void> {
    return this.channels.delete(caller, id);
  }
}
