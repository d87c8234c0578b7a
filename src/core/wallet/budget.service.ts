import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../platform/http';
import { AuditLog } from '../audit';
import { Currencies, type KnownCurrency } from '../currency';
import type { BudgetDto, SetBudgetBody } from './budget.dto';
import { BudgetRepository } from './budget.repository';
import { LedgerRepository } from './ledger.repository';
import type { WalletQuery } from './wallet.dto';

@Injectable()
export class BudgetService {
  constructor(
    private readonly budgets: BudgetRepository,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async read(ownerId: string, query: WalletQuery): Promise<BudgetDto> {
    return this.readIn(ownerId, await this.currencies.named(query));
  }

  /** @param perDay undefined ends the budget */
  async set(
    actor: Caller,
    ownerId: string,
    { perDay, currency: code }: Partial<SetBudgetBody>,
  ): Promise<BudgetDto> {
    const currency = await this.currencies.namedByHand({ currency: code });
    return this.dataSource.transaction(async (tx) => {
      const walletId = await this.ledger.walletOf(tx, ownerId, currency);
      await this.ledger.lock(tx, [walletId]);
      const { perDay: before } = await this.readIn(ownerId, currency, tx);
      if (perDay === undefined) await this.budgets.remove(tx, walletId);
      else await this.budgets.set(tx, walletId, currency.parse(perDay));
      const budget = await this.readIn(ownerId, currency, tx);
      await this.audit.record(tx, actor, {
        action: 'wallet.budget',
        id: ownerId,
        before: { budgetPerDay: before },
        after: { budgetPerDay: budget.perDay },
        detail: { currency: code },
      });
      return budget;
    });
  }

  private async readIn(ownerId: string, currency: KnownCurrency, tx?: EntityManager): Promise<BudgetDto> {
    const budget = await this.budgets.findBudget(ownerId, currency.code, tx);
    return {
      perDay: budget ? currency.format(budget.perDayMinor) : null,
      spentToday: budget ? currency.format(budget.spentMinor) : null,
      currency: currency.code,
    };
  }
}
