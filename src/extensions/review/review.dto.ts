import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOneOf, PageQuery } from '../../platform/http';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../approval';

export class ApprovalQuery extends PageQuery {
  @ApiPropertyOptional({ enum: APPROVAL_STATUSES, default: 'pending' })
  @IsOneOf(APPROVAL_STATUSES)
  readonly status: ApprovalStatus = 'pending';
}
