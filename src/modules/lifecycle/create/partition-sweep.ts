import { Injectable } from '@nestjs/common';
import { Repeats } from '../../../platform/schedule';
import { CreationRepository } from './creation.repository';

const LOOK_EVERY_MS = 60_000;

/** Makes a place for the activities of the near future, so that no creation has to. Without any worker, creations do it. */
@Injectable()
export class PartitionSweep {
  constructor(private readonly creations: CreationRepository) {}

  @Repeats('PartitionSweep', LOOK_EVERY_MS)
  async sweep(): Promise<void> {
    await this.creations.makePartitions();
  }
}
