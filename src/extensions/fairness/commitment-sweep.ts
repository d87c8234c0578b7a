import { Injectable } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { SecondPerson } from '../../core/second-person';
import { CommitmentRepository } from './commitment.repository';

/** Deletes commitments, with their seeds, that no creation can use any more. */
@Injectable()
export class CommitmentSweep {
  constructor(
    private readonly commitments: CommitmentRepository,
    private readonly secondPerson: SecondPerson,
  ) {}

  @Repeats('CommitmentSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping?: AbortSignal): Promise<void> {
    while (!stopping?.aborted && (await this.commitments.sweepSome(this.secondPerson.undecidedDeeds)) > 0);
  }
}
