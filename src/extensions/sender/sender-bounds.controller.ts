import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, type Caller, CurrentCaller } from '../../platform/http';
import { SenderBoundsDto, SenderBoundsQuery } from './sender-bounds.dto';
import { SenderBoundsService } from './sender-bounds.service';

@ApiTags('activities')
@Allow('read')
@Controller('v1/me/sender-bounds')
export class SenderBoundsController {
  constructor(private readonly bounds: SenderBoundsService) {}

  @Get()
  @ApiOperation({
    operationId: 'readMySenderBounds',
    summary: 'Read what I may send',
    description:
      'The bounds of this installation for users, and how much of them is used today. Staff have none.',
  })
  @ApiOkResponse({ type: SenderBoundsDto })
  read(@Query() query: SenderBoundsQuery, @CurrentCaller() { userId }: Caller): Promise<SenderBoundsDto> {
    return this.bounds.read(userId, query);
  }
}
