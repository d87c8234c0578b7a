import { Injectable } from '@nestjs/common';
import { nameOfWitness } from '../../../libs/claim-log';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';
import { CosignatureRepository } from './cosignature.repository';

const EVERY_MS = 10_000;

/** Sees which witnesses have stopped signing. */
@Injectable()
export class WitnessWatch {
  private readonly behind;
  private readonly witnesses: readonly string[];

  constructor(
    private readonly cosignatures: CosignatureRepository,
    config: AppConfig,
    metrics: Metrics,
  ) {
    this.witnesses = config.CLAIM_LOG_WITNESSES;
    this.behind = metrics.gauges({
      name: 'hongbao_claim_log_witness_behind_seconds',
      help: 'Age of the oldest checkpoint of the log of claims that a witness has not signed; 0 if it lacks none',
      label: 'witness',
      values: this.witnesses.map(nameOfWitness),
    });
  }

  @Repeats('WitnessWatch', EVERY_MS)
  async watch(): Promise<void> {
    if (this.witnesses.length === 0) return;
    const seconds = await this.cosignatures.behindSeconds(this.witnesses);
    for (const [i, witness] of this.witnesses.entries())
      this.behind[nameOfWitness(witness)]!.set(seconds[i]!);
  }
}
