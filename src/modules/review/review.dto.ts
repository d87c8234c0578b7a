import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { PageQuery } from '../../platform/http';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../approval';

export class ApprovalQuery extends PageQuery {
  @ApiPropertyOptional({ enum: APPROVAL_STATUSES, default: 'pending' })
  @IsIn(APPROVAL_STATUSES, { message: `must be one of ${APPROVAL_STATUSES.join(', ')}` })
  readonly status: ApprovalStatus = 'pending';
}
