import { Injectable } from '@nestjs/common';
import { Servers } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';
import { SecondPerson } from '../../core/second-person';
import { CommitmentRepository } from './commitment.repository';

/** Deletes commitments, with their seeds, that no creation can use any more. */
@Injectable()
export class CommitmentSweep {
  constructor(
    private readonly commitments: CommitmentRepository,
    private readonly secondPerson: SecondPerson,
    private readonly servers: Servers,
  ) {}

  @Repeats('CommitmentSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping?: AbortSignal): Promise<void> {
    const redisSeconds = await this.servers.earliestSeconds();
    const { undecidedDeeds } = this.secondPerson;
    while (!stopping?.aborted && (await this.commitments.sweepSome(undecidedDeeds, redisSeconds)) > 0);
  }
}
