import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiPage, type Caller, CurrentCaller, InTurn, PageQuery } from '../../platform/http';
import { SentDto, SentTotals } from './sent.dto';
import { type SentPage, SentService } from './sent.service';

@ApiTags('activities')
@Allow('read')
@Controller('v1/me/sent')
export class SentController {
  constructor(private readonly sent: SentService) {}

  @Get()
  @InTurn(10)
  @ApiOperation({
    operationId: 'listSent',
    summary: 'List what I have sent',
    description:
      'My activities, with what was won, what came back, and how many winners have said thanks. Newest ' +
      'first.',
  })
  @ApiPage(SentDto, 'My activities', { totals: SentTotals })
  list(@Query() query: PageQuery, @CurrentCaller() { userId }: Caller): Promise<SentPage> {
    return this.sent.list(userId, query);
  }
}
