import { Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  acceptedType,
  Allow,
  ApiProblems,
  type Caller,
  CurrentCaller,
  IdParam,
  notAcceptable,
  streamAnswer,
} from '../../platform/http';
import { activityNotEnded } from '../../core/activity';
import { GetExport } from './api-export';
import { ExportQuery } from './export.dto';
import { EXPORT_FORMATS, type ExportFormat, FORMATS } from './export-format';
import type { ExportKind } from './export-lines';
import { ExportService } from './export.service';

@ApiTags('closing')
@Allow('inspect')
@Controller('v1/activities/:id/export')
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @GetExport('claims')
  claims(
    @IdParam() id: string,
    @Query() query: ExportQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send('claims', id, query, caller, reply);
  }

  @GetExport('ledger')
  ledger(
    @IdParam() id: string,
    @Query() query: ExportQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send('ledger', id, query, caller, reply);
  }

  @GetExport('payouts')
  payouts(
    @IdParam() id: string,
    @Query() query: ExportQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send('payouts', id, query, caller, reply);
  }

  @GetExport('results')
  @ApiProblems(activityNotEnded)
  results(
    @IdParam() id: string,
    @Query() query: ExportQuery,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.send('results', id, query, caller, reply);
  }

  private async send(
    kind: ExportKind,
    activityId: string,
    query: ExportQuery,
    caller: Caller,
    reply: FastifyReply,
  ): Promise<void> {
    const format = query.format ?? acceptedFormat(reply.request.headers.accept);
    const headers = {
      'content-type': FORMATS[format].contentType,
      'content-disposition': `attachment; filename="activity-${activityId}-${kind}.${format}"`,
    };
    await this.exports.run({ kind, activityId, format, caller }, (text, signal) =>
      streamAnswer(reply, headers, text, signal),
    );
  }
}

/** CSV when the client names no format, because people open CSV. */
function acceptedFormat(accept: string | undefined): ExportFormat {
  const { csv, ndjson } = FORMATS;
  const type = acceptedType(accept, [csv.mediaType, ndjson.mediaType]);
  const format = EXPORT_FORMATS.find((one) => FORMATS[one].mediaType === type);
  if (format === undefined) throw notAcceptable(`Accept ${csv.mediaType} or ${ndjson.mediaType}.`);
  return format;
}
