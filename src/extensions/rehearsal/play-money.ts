import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { must } from '../../../libs/problem';
import { isStaff } from '../../../libs/roles';
import { type Caller, invalidField } from '../../platform/http';
import {
  type Backing,
  Backings,
  Currencies,
  type KnownCurrency,
  type MoneyTerms,
  type NeededUnits,
  PLAY_MONEY,
} from '../../core/currency';
import { LedgerRepository } from '../../core/wallet';

/** Lets activities give money that is worth nothing, and makes it when they need it. */
@Injectable()
export class PlayMoney implements Backing {
  readonly kind = 'test';

  constructor(
    private readonly currencies: Currencies,
    private readonly ledger: LedgerRepository,
    backings: Backings,
  ) {
    backings.register(this);
  }

  async chooseCurrency(
    { role }: Caller,
    { rehearsal = false, currency: code }: MoneyTerms,
    named: KnownCurrency,
  ): Promise<KnownCurrency> {
    if (!rehearsal) {
      if (named.isPlay)
        throw invalidField('rehearsal', must.beThere(`must be true for an activity in ${named.code}`));
      return named;
    }
    if (!isStaff(role)) throw invalidField('rehearsal', must.beLeftOut('can only be chosen by staff'));
    if (code !== undefined && !named.isPlay)
      throw invalidField(
        'currency',
        must.beOneOf([PLAY_MONEY], `must be ${PLAY_MONEY} or left out in a rehearsal`),
      );
    return this.play();
  }

  /** Makes only what the wallet lacks, so that money from former rehearsals is used again. */
  async supply(tx: EntityManager, { currency, walletId, amountMinor, sourceId }: NeededUnits): Promise<void> {
    invariant(sourceId, 'Play money is made for a request.');
    const { balanceMinor } = (await this.ledger.lock(tx, [walletId])).get(walletId)!;
    if (balanceMinor >= amountMinor) return;
    await this.ledger.transfer(tx, {
      kind: 'deposit',
      sourceId,
      activityId: null,
      debitAccountId: await this.ledger.fundingAccount(tx, currency),
      creditAccountId: walletId,
      amountMinor: amountMinor - balanceMinor,
    });
  }

  /**
   * It is created with the first rehearsal, so that installations without rehearsals do not have this
   * currency. It has the decimals of the default, so the terms of a rain can stay as they are.
   */
  private async play(): Promise<KnownCurrency> {
    const { digits: decimals } = this.currencies.default;
    await this.currencies.enter({ code: PLAY_MONEY, kind: this.kind, decimals, name: 'Play money' });
    return this.currencies.of(PLAY_MONEY);
  }
}
