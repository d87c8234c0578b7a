import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  type Caller,
  InTurn,
  CurrentCaller,
  IdParam,
  type Page,
} from '../../platform/http';
import { BestLuck } from './best-luck';
import { GrabListService } from './grab-list.service';
import { PacketField } from './packet-marks';
import {
  BestLuckDto,
  GrabbedPacketDto,
  ListedGrabDto,
  GrabsQuery,
  MyPacketsQuery,
  WonPacketDto,
} from './winners.dto';
import { activityArchived, activityNotFound } from '../activity';
import type { HistoryPage } from '../wallet';
import { claimNotFound, noSuchClaim } from './winners.error';
import { WonPacketsService } from './won-packets.service';

@ApiTags('grabs')
@Controller('v1')
export class WonPacketsController {
  constructor(
    private readonly wonPackets: WonPacketsService,
    private readonly grabLists: GrabListService,
  ) {}

  @Get('activities/:id/grabs/me')
  @Allow('read')
  @ApiOperation({ operationId: 'readMyGrab', summary: 'Read my packet of an activity' })
  @ApiOkResponse({ type: WonPacketDto })
  @ApiProblems(claimNotFound, activityArchived)
  mine(@IdParam() activityId: string, @CurrentCaller() caller: Caller): Promise<WonPacketDto> {
    return this.wonPackets.ofUserInActivity(activityId, caller.userId);
  }

  @Get('claims/:id')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'readClaim',
    summary: 'Read a claim',
    description: 'The win that dead letters, holds and the audit log name by the id of its claim.',
  })
  @ApiOkResponse({ type: GrabbedPacketDto })
  @ApiProblems(noSuchClaim)
  claim(@IdParam() id: string): Promise<GrabbedPacketDto> {
    return this.wonPackets.ofClaim(id);
  }

  @Get('activities/:id/grabs')
  @InTurn(10)
  @Allow('read')
  @ApiOperation({
    operationId: 'listGrabs',
    summary: 'List the winners of an activity',
    description:
      'For the sponsor of the activity, staff, and those who hold a packet of it; for all others it does not exist. ' +
      'Newest first, unless packets were added to the activity. Winners do not see void packets.',
  })
  @ApiPage(ListedGrabDto, 'Packets with their winners')
  @ApiProblems(activityNotFound, activityArchived)
  ofActivity(
    @IdParam() activityId: string,
    @Query() query: GrabsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<Page<ListedGrabDto>> {
    return this.grabLists.ofActivity(activityId, query, caller);
  }

  @Get('me/packets')
  @InTurn(10)
  @Allow('read')
  @ApiOperation({ operationId: 'listMyPackets', summary: 'List my packets', description: 'Newest first.' })
  @ApiPage(WonPacketDto, 'My packets', {
    archived: 'True when older ones were archived and are not listed.',
    totals: PacketField('totals'),
  })
  ofMe(@Query() query: MyPacketsQuery, @CurrentCaller() caller: Caller): Promise<HistoryPage<WonPacketDto>> {
    return this.wonPackets.ofUser(caller.userId, query);
  }
}

@ApiTags('grabs')
@Allow('read')
@Controller('v1/activities/:id/best-luck')
export class BestLuckController {
  constructor(private readonly bestLuck: BestLuck) {}

  @Get()
  @ApiOperation({
    operationId: 'readBestLuck',
    summary: 'Read the largest packets of an activity',
    description:
      'Ten at most, with masked user ids, soon after the end of an activity with `showsBestLuck`; otherwise the list ' +
      'is empty. Void packets are left out. An answer is up to a minute old.',
  })
  @ApiOkResponse({ type: BestLuckDto })
  @ApiProblems(activityNotFound)
  read(@IdParam() activityId: string, @CurrentCaller() { userId }: Caller): Promise<BestLuckDto> {
    return this.bestLuck.shownTo(userId, activityId);
  }
}
