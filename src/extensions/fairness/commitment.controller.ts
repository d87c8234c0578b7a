import { Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, ApiProblems, Idempotent, type IdempotentRequest } from '../../platform/http';
import { CommitmentDto } from './commitment.dto';
import { CommitmentService } from './commitment.service';
import { tooManyCommitments } from './fairness.error';

@ApiTags('fairness')
@Controller('v1/commitments')
export class CommitmentController {
  constructor(private readonly commitments: CommitmentService) {}

  @Post()
  @Allow('sponsor')
  @ApiOperation({
    operationId: 'createCommitment',
    summary: 'Have a seed drawn before you choose yours',
    description:
      'The system draws a seed, keeps it secret and answers with its hash. Draw 32 random bytes of your own after ' +
      'that, and send both with the creation: the amounts follow from both seeds, so nobody chose them alone. It is ' +
      'valid for an hour. See docs/fairness.md.',
  })
  @ApiCreatedResponse({ type: CommitmentDto })
  @ApiProblems(tooManyCommitments)
  create(@Idempotent() request: IdempotentRequest): Promise<CommitmentDto> {
    return this.commitments.create(request);
  }
}
