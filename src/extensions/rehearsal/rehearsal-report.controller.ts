import { Body, Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
} from '../../platform/http';
import { activityNotFound } from '../../core/activity';
import { nobodyLetIn, notARehearsal } from './rehearsal.error';
import { REPORT_EXAMPLES, RehearsalReportBody, RehearsalReportDto } from './rehearsal-report.dto';
import { RehearsalReports } from './rehearsal-reports';

@ApiTags('activities')
@Allow('rehearse')
@Controller('v1/activities/:id/rehearsal-reports')
export class RehearsalReportController {
  constructor(private readonly reports: RehearsalReports) {}

  @Post()
  @ApiExamples(RehearsalReportBody, REPORT_EXAMPLES)
  @ApiOperation({
    operationId: 'reportRehearsal',
    summary: 'Report how a rehearsal went',
    description:
      '`npm run rehearse` does this. The pre-flight of an activity with the same terms names the newest report. ' +
      'Window, currency, channel, admission, audience, name and look may differ.',
  })
  @ApiCreatedResponse({ type: RehearsalReportDto })
  @ApiProblems(activityNotFound, notARehearsal, nobodyLetIn)
  report(
    @IdParam() id: string,
    @Body() body: RehearsalReportBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<RehearsalReportDto> {
    return this.reports.report(request, id, body);
  }
}
