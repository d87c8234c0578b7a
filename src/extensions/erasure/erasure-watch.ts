import { Injectable } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { ErasureRepository } from './erasure.repository';

const LOOK_EVERY_MS = 60_000;

/** The law gives a month, and only someone who runs `npm run erasure` can meet that deadline. */
@Injectable()
export class ErasureWatch {
  private readonly oldest;

  constructor(
    private readonly erasures: ErasureRepository,
    metrics: Metrics,
  ) {
    this.oldest = metrics.gauge({
      name: 'hongbao_erasures_oldest_seconds',
      help: 'Age of the oldest request to forget a person that is to be carried out; 0 without one',
    });
  }

  @Repeats('ErasureWatch', LOOK_EVERY_MS, { logs: 'changes' })
  async measure(): Promise<void> {
    this.oldest.set(await this.erasures.oldestSeconds());
  }
}
