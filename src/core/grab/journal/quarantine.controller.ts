import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiPage, ApiProblems, type Page, PageQuery } from '../../../platform/http';
import { dispenserAway } from '../draw/draw.error';
import { QuarantinedEntryDto } from './quarantine.dto';
import { QuarantineService } from './quarantine.service';

@ApiTags('journal')
@Allow('inspect')
@Controller('v1/journal/quarantine')
export class QuarantineController {
  constructor(private readonly quarantine: QuarantineService) {}

  @Get()
  @ApiOperation({
    operationId: 'listQuarantinedEntries',
    summary: 'List unreadable journal entries',
    description:
      'Entries that could not be read are set aside and kept, so that they do not hold up the others. Sorted by ' +
      'shard, newest first.',
  })
  @ApiPage(QuarantinedEntryDto, 'Entries')
  @ApiProblems(dispenserAway)
  list(@Query() page: PageQuery): Promise<Page<QuarantinedEntryDto>> {
    return this.quarantine.list(page);
  }
}
