import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig, Currency } from '../../platform/config';
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

  /** True when the person may do it alone. The amount then counts, unless rolled back. */
  async take(tx: EntityManager, userId: string, amountMinor: bigint): Promise<boolean> {
    if (this.atOnceMinor !== undefined && amountMinor > this.atOnceMinor) return false;
    if (this.dailyMinor === undefined) return true;
    await this.deeds.lock(tx, userId);
    if ((await this.deeds.sumOfDay(tx, userId)) + amountMinor > this.dailyMinor) return false;
    await this.deeds.insert(tx, userId, amountMinor);
    return true;
  }
}
