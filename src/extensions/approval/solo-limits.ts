import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, Currency } from '../../platform/config';
import type { SoloSum } from '../../core/second-person';
import { SoloDeedRepository } from './solo-deed.repository';

/**
 * Limits what one person may do alone: at once, and in all within 24 hours, because many small
 * amounts add up. Without the second limit the first stops mistakes, but not intent.
 */
@Injectable()
export class SoloLimits {
  private readonly atOnceMinor: bigint | undefined;
  private readonly dailyMinor: bigint | undefined;

  constructor(
    private readonly deeds: SoloDeedRepository,
    config: AppConfig,
    currency: Currency,
  ) {
    const limit = (amount: string | undefined) => (amount === undefined ? undefined : currency.parse(amount));
    this.atOnceMinor = limit(config.APPROVAL_ABOVE);
    this.dailyMinor = limit(config.APPROVAL_ABOVE_DAILY);
  }

  /**
   * Returns for each sum, in their order, whether its person may move it alone. Those sums then count,
   * unless rolled back.
   */
  async take(tx: EntityManager, sums: readonly SoloSum[]): Promise<boolean[]> {
    const isSmall = ({ amountMinor }: SoloSum) =>
      this.atOnceMinor === undefined || amountMinor <= this.atOnceMinor;
    const small = sums.filter(isSmall);
    if (this.dailyMinor === undefined || small.length === 0) return sums.map(isSmall);
    const taken = new Set(await this.withinDay(tx, small, this.dailyMinor));
    await this.deeds.insert(tx, [...taken]);
    return sums.map((sum) => taken.has(sum));
  }

  private async withinDay(
    tx: EntityManager,
    sums: readonly SoloSum[],
    dailyMinor: bigint,
  ): Promise<SoloSum[]> {
    const people = sums.map(({ doneBy }) => doneBy);
    await this.deeds.lock(tx, people);
    const moved = await this.deeds.sumsOfDay(tx, people);
    return sums.filter(({ doneBy, amountMinor }) => {
      const sumMinor = (moved.get(doneBy) ?? 0n) + amountMinor;
      if (sumMinor > dailyMinor) return false;
      moved.set(doneBy, sumMinor);
      return true;
    });
  }
}
