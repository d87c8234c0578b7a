import { Injectable } from '@nestjs/common';
import { Repeats } from '../../../platform/schedule';
import { CreationRepository } from './creation.repository';

const LOOK_EVERY_MS = 60_000;

/** Makes partitions ahead, so that creations need not. Without any worker, creations make them. */
@Injectable()
export class PartitionSweep {
  constructor(private readonly creations: CreationRepository) {}

  @Repeats('PartitionSweep', LOOK_EVERY_MS)
  async sweep(): Promise<void> {
    await this.creations.makePartitions();
  }
}
