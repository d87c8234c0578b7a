import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Currency, Limits } from '../../../libs/money';
import { AppConfig } from '../../platform/config';
import { busy } from '../../platform/http';
import { isHeldUp } from '../../platform/postgres';
import { Currencies } from '../../core/currency';
import type { SoloSum } from '../../core/second-person';
import { SoloDeedRepository } from './solo-deed.repository';

/**
 * Limits what one person may do alone: at once, and in total within 24 hours, because many small amounts
 * add up. The first limit alone stops mistakes, but not intent. Where there are limits, a currency without
 * one has the limit 0: adding a currency does not let anyone move it alone.
 */
@Injectable()
export class SoloLimits {
  private readonly atOnce: Limits | undefined;
  private readonly daily: Limits | undefined;

  constructor(
    private readonly deeds: SoloDeedRepository,
    private readonly currencies: Currencies,
    { APPROVAL_ABOVE, APPROVAL_ABOVE_DAILY }: AppConfig,
  ) {
    const { code } = currencies.default;
    this.atOnce = Limits.of(APPROVAL_ABOVE, code);
    this.daily = Limits.of(APPROVAL_ABOVE_DAILY, code);
  }

  /**
   * Returns for each sum, in order, whether its person may move it alone. The sums that may then count,
   * unless rolled back.
   */
  async take(tx: EntityManager, sums: readonly SoloSum[]): Promise<boolean[]> {
    const isSmall = ({ currency, amountMinor }: SoloSum) => isWithin(this.atOnce, currency, amountMinor);
    const small = sums.filter(isSmall);
    if (this.daily === undefined || small.length === 0) return sums.map(isSmall);
    const taken = new Set(await this.withinDay(tx, small));
    await this.deeds.insert(
      tx,
      [...taken].map((sum) => ({ ...sum, currency: this.nameOf(sum) })),
    );
    return sums.map((sum) => taken.has(sum));
  }

  /** Leaves out people whose other deed is under way: a transaction of many people does not wait for one of them. */
  async takeTurns(tx: EntityManager, people: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(this.daily === undefined ? people : await this.deeds.tryLock(tx, people));
  }

  private async withinDay(tx: EntityManager, sums: readonly SoloSum[]): Promise<SoloSum[]> {
    const people = sums.map(({ doneBy }) => doneBy);
    await this.deeds.lock(tx, people).catch((cause: unknown) => {
      if (isHeldUp(cause))
        throw busy('Another action by this person is in progress.', { retryAfterSeconds: 1, cause });
      throw cause;
    });
    const ofDay = await this.deeds.sumsOfDay(tx, people);
    const moved = new Map(ofDay.map(({ doneBy, currency, minor }) => [keyOf(doneBy, currency), minor]));
    return sums.filter((sum) => {
      const key = keyOf(sum.doneBy, this.nameOf(sum));
      const sumMinor = (moved.get(key) ?? 0n) + sum.amountMinor;
      if (!isWithin(this.daily, sum.currency, sumMinor)) return false;
      moved.set(key, sumMinor);
      return true;
    });
  }

  private nameOf({ currency }: SoloSum): string | null {
    return this.currencies.unlessDefault(currency) ?? null;
  }
}

const keyOf = (doneBy: string, currency: string | null): string => JSON.stringify([doneBy, currency]);

const isWithin = (limits: Limits | undefined, currency: Currency, minor: bigint): boolean =>
  limits === undefined || minor <= limits.in(currency);
