import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiPage, decodeCursor, type Page, toPage } from '../../platform/http';
import { AuditDto, AuditQuery } from './audit.dto';
import { AuditLog } from './audit-log';

@ApiTags('audit')
@Allow('inspect')
@Controller('v1/audit-log')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @ApiOperation({
    operationId: 'listAuditLog',
    summary: 'List the audit log',
    description: 'Actions by staff and sponsors, newest first, each with the state before and after.',
  })
  @ApiPage(AuditDto, 'Deeds')
  async list(@Query() { limit, cursor, ...filter }: AuditQuery): Promise<Page<AuditDto>> {
    const rows = await this.log.list(filter, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return { items: items.map(({ at, ...deed }) => ({ ...deed, at: at.toISOString() })), nextCursor };
  }
}
