import { Body, Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiExamples,
  ApiPage,
  ApiProblems,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../platform/http';
import { ApprovalDto, ApprovalQuery, MyApprovalsQuery, RejectBody } from './approval.dto';
import { approvalNotFound, approvalNotPending, ownApproval } from './approval.error';
import { ApprovalService } from './approval.service';

@ApiTags('approvals')
@Controller('v1/me/approvals')
export class MyApprovalsController {
  constructor(private readonly approvals: ApprovalService) {}

  @Get()
  @Allow('read-own-requests')
  @ApiOperation({
    operationId: 'listMyApprovals',
    summary: 'List my requests',
    description: 'Only the requests that the caller has made, with their outcomes, newest first.',
  })
  @ApiPage(ApprovalDto, 'Approvals')
  list(@Query() query: MyApprovalsQuery, @CurrentCaller() caller: Caller): Promise<Page<ApprovalDto>> {
    return this.approvals.listAskedBy(caller, query);
  }
}

@ApiTags('approvals')
@Controller('v1/approvals')
export class ApprovalController {
  constructor(private readonly approvals: ApprovalService) {}

  @Get()
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listApprovals',
    summary: 'List approvals',
    description: 'Newest first. Only pending approvals, unless `status` says otherwise.',
  })
  @ApiPage(ApprovalDto, 'Approvals')
  list(@Query() query: ApprovalQuery): Promise<Page<ApprovalDto>> {
    return this.approvals.list(query);
  }

  @Get(':id')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readApproval', summary: 'Read an approval' })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound)
  read(@IdParam() id: string): Promise<ApprovalDto> {
    return this.approvals.read(id);
  }

  @Post(':id/approve')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'approveRequest',
    summary: 'Approve a request',
    description:
      'Approves a request. The approver must be another person. The request is carried out at once; if ' +
      'that is not possible, the problem says why and the request stays pending.',
  })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound, ownApproval, approvalNotPending)
  approve(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ApprovalDto> {
    return this.approvals.approve(request, id);
  }

  @Post(':id/reject')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiExamples(RejectBody, {
    'with a reason': { reason: 'The sponsor has cancelled the campaign.' },
    'without one': {},
  })
  @ApiOperation({
    operationId: 'rejectRequest',
    summary: 'Reject a request',
    description:
      'Rejects a request. The person who rejects it must not be the person who requested it. It ' +
      'is never carried out, but may be requested again.',
  })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound, ownApproval, approvalNotPending)
  reject(
    @IdParam() id: string,
    @Body() { reason }: RejectBody,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ApprovalDto> {
    return this.approvals.reject(request, id, reason);
  }
}
