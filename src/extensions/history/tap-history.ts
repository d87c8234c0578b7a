import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import { TapMinuteRepository } from './tap-minute.repository';
import { TapMinutes } from './tap-minutes';

const WRITE_EVERY_MS = 5_000;

/**
 * Writes the taps that this process has counted. These are statistics, not money: a process that is killed loses its
 * last five seconds, and a commit whose answer was lost is counted twice.
 */
@Injectable()
export class TapHistory implements BeforeApplicationShutdown {
  constructor(
    private readonly minutes: TapMinutes,
    private readonly repository: TapMinuteRepository,
  ) {}

  @Repeats('TapHistory', WRITE_EVERY_MS, { logs: 'changes' })
  async write(): Promise<void> {
    const taken = this.minutes.take();
    if (taken.length === 0) return;
    try {
      await this.repository.add(taken);
    } catch (error) {
      this.minutes.giveBack(taken);
      throw error;
    }
  }

  /** Not worth a failed end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.write().catch(() => undefined);
  }
}
