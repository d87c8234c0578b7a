import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';
import { TapMinuteRepository } from './tap-minute.repository';

const SWEEP_EVERY_MS = 60_000;
const FORGOTTEN_AT_ONCE = 5_000;

/** Deletes the history of old and of archived activities. */
@Injectable()
export class HistorySweep {
  constructor(
    private readonly repository: TapMinuteRepository,
    private readonly config: AppConfig,
  ) {}

  @Repeats('HistorySweep', SWEEP_EVERY_MS)
  async sweep(stopping: AbortSignal): Promise<void> {
    const steps = [
      () => this.repository.forgetOlder(this.config.HISTORY_KEPT_DAYS, FORGOTTEN_AT_ONCE),
      () => this.repository.forgetArchived(FORGOTTEN_AT_ONCE),
    ];
    for (const forget of steps) while (!stopping.aborted && (await forget()) === FORGOTTEN_AT_ONCE);
  }
}
