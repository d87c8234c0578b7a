import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../../platform/http';
import { ownPayout } from '../book/payout.error';
import { statementNotFound } from '../statement/statement.error';
import { EndedFindingsDto, EndFindingBody, FindingDto, FindingsQuery } from './finding.dto';
import { findingEnded, findingNotFound } from './finding.error';
import { FindingService } from './finding.service';

@ApiTags('payouts')
@Controller('v1')
export class FindingController {
  constructor(private readonly findings: FindingService) {}

  @Get('payout-findings')
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listPayoutFindings',
    summary: 'List findings',
    description:
      'Disagreements between our books and a channel’s, newest first. Only open ones, unless `state` says ' +
      'otherwise. `verify` fails while one is open.',
  })
  @ApiPage(FindingDto, 'Findings')
  listFindings(@Query() query: FindingsQuery): Promise<Page<FindingDto>> {
    return this.findings.list(query);
  }

  @Post('payout-findings/:id/own')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'ownPayoutFinding',
    summary: 'Take on a finding',
    description: 'The caller becomes its owner, and replaces any previous one.',
  })
  @ApiOkResponse({ type: FindingDto })
  @ApiProblems(findingNotFound, findingEnded, ownPayout)
  ownFinding(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<FindingDto> {
    return this.findings.own(request, id);
  }

  @Post('payout-findings/:id/end')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(EndFindingBody, { 'paid back': { resolution: 'Paid back by the user on 2031-02-04.' } })
  @ApiOperation({
    operationId: 'endPayoutFinding',
    summary: 'End a finding',
    description: 'Moves no money: it records what was done about it. The user of the payout cannot end it.',
  })
  @ApiOkResponse({ type: FindingDto })
  @ApiProblems(findingNotFound, findingEnded, ownPayout)
  endFinding(
    @IdParam() id: string,
    @Body() { resolution }: EndFindingBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<FindingDto> {
    return this.findings.end(request, id, resolution);
  }

  @Post('payout-statements/:id/end-findings')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'endFindingsOfStatement',
    summary: 'End all findings of a file',
    description:
      'For a file that was wrong as a whole: `id` is the `statementId` of its findings. Moves no money. A channel ' +
      'that `never-sent` has stopped then continues, so first make sure that none of the lines is a payment. ' +
      'Findings about payouts of the caller stay open.',
  })
  @ApiOkResponse({ type: EndedFindingsDto })
  @ApiProblems(statementNotFound)
  @ApiExamples(EndFindingBody, {
    'another file': { resolution: 'The file of another day was handed in by mistake.' },
  })
  endFindingsOfFile(
    @IdParam() id: string,
    @Body() { resolution }: EndFindingBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<EndedFindingsDto> {
    return this.findings.endOfFile(request, id, resolution);
  }
}
