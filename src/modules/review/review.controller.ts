import { Controller, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  Allow,
  ApiPage,
  ApiProblems,
  busy,
  type Caller,
  CurrentCaller,
  Idempotent,
  type IdempotentRequest,
  IdParam,
  type Page,
} from '../../platform/http';
import { ApprovalDto, approvalNotFound, approvalNotPending, ownApproval } from '../approval';
import { balanceLimitReached, deadLetterNotFound, deadLetterNotOpen, walletFrozen } from '../wallet';
import { ApprovalQuery } from './review.dto';
import { ReviewService } from './review.service';

@ApiTags('approvals')
@Controller('v1/approvals')
export class ReviewController {
  constructor(private readonly reviews: ReviewService) {}

  @Get()
  @Allow('inspect')
  @ApiOperation({
    summary: 'What waits for a second person',
    description: 'Newest first; pending ones unless told otherwise.',
  })
  @ApiPage(ApprovalDto, 'Approvals')
  list(@Query() query: ApprovalQuery): Promise<Page<ApprovalDto>> {
    return this.reviews.list(query);
  }

  @Get(':id')
  @Allow('inspect')
  @ApiOperation({ summary: 'Read an approval' })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound)
  read(@IdParam() id: string): Promise<ApprovalDto> {
    return this.reviews.read(id);
  }

  @Post(':id/approve')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    summary: 'Approve, and do it',
    description:
      'By somebody else than the one who asked. What was asked for happens now, or not at all: where it cannot be done any ' +
      'more, or not yet, the problem says why, and the approval stays pending.',
  })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound, ownApproval, approvalNotPending)
  @ApiProblems(walletFrozen, balanceLimitReached, deadLetterNotFound, deadLetterNotOpen, busy)
  approve(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ApprovalDto> {
    return this.reviews.approve(request, caller, id);
  }

  @Post(':id/reject')
  @HttpCode(HttpStatus.OK)
  @Allow('manage-money')
  @ApiOperation({
    summary: 'Reject',
    description: 'By somebody else than the one who asked. It is never done; it may be asked for again.',
  })
  @ApiOkResponse({ type: ApprovalDto })
  @ApiProblems(approvalNotFound, ownApproval, approvalNotPending)
  reject(
    @IdParam() id: string,
    @Idempotent() request: IdempotentRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<ApprovalDto> {
    return this.reviews.reject(request, caller, id);
  }
}
