import { Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  busy,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../platform/http';
import { activityEnded, activityNotFound, creationUnderWay, tooManyActivities } from '../../core/activity';
import { ApprovalDto, approvalNotFound, approvalNotPending, ownApproval } from '../approval';
import {
  balanceLimitReached,
  deadLetterNotFound,
  deadLetterNotOpen,
  budgetExceeded,
  insufficientFunds,
  walletFrozen,
} from '../../core/wallet';
import { ownPayout, payoutNotOpen, payoutSentAgain } from '../payout';
import { ApprovalQuery } from './review.dto';
import { ReviewService } from './review.service';

@ApiTags('approvals')
@Controller('v1/approvals')
export class ReviewController {
  constructor(private readonly reviews: ReviewService) {}

  @Get()
  @Allow('inspect')
  @ApiOperation({
    operationId: 'listApprovals',
    summary: 'List approvals',
    description: 'Newest first. Only pending ones, unless `status` says otherwise.',
  })
  @ApiPage(ApprovalDto, 'Approvals')
  list(@Query() query: ApprovalQuery): Promise<Page<ApprovalDto>> {
    return this.reviews.list(query);
  }

  @Get(':id')
  @Allow('inspect')
  @ApiOperation({ operationId: 'readApproval', summary: 'Read an approval' })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound)
  read(@IdParam() id: string): Promise<ApprovalDto> {
    return this.reviews.read(id);
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
  @ApiProblems(walletFrozen, balanceLimitReached, deadLetterNotFound, deadLetterNotOpen, busy)
  @ApiProblems(insufficientFunds, activityNotFound, activityEnded, creationUnderWay, tooManyActivities)
  @ApiProblems(budgetExceeded, payoutNotOpen, payoutSentAgain, ownPayout)
  approve(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ApprovalDto> {
    return this.reviews.approve(request, id);
  }

  @Post(':id/reject')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    operationId: 'rejectRequest',
    summary: 'Reject a request',
    description:
      'Rejects a request. The person who rejects must be another one than the one who asked. It ' +
      'is never carried out; it may be requested anew.',
  })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound, ownApproval, approvalNotPending, payoutNotOpen)
  reject(@IdParam() id: string, @Idempotent() request: IdempotentRequest): Promise<ApprovalDto> {
    return this.reviews.reject(request, id);
  }
}
