import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import { AuditLog } from '../audit';
import type { BudgetDto } from './budget.dto';
import { BudgetRepository } from './budget.repository';
import { LedgerRepository } from './ledger.repository';

@Injectable()
export class BudgetService {
  constructor(
    private readonly budgets: BudgetRepository,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async read(ownerId: string, tx?: EntityManager): Promise<BudgetDto> {
    const budget = await this.budgets.findBudget(ownerId, tx);
    return {
      perDay: budget ? this.currency.format(budget.perDayMinor) : null,
      spentToday: budget ? this.currency.format(budget.spentMinor) : null,
      currency: this.currency.code,
    };
  }

  /** @param perDay undefined ends the budget */
  async set(actor: Caller, ownerId: string, perDay?: string): Promise<BudgetDto> {
    return this.dataSource.transaction(async (tx) => {
      const walletId = await this.ledger.walletOf(tx, ownerId);
      await this.ledger.lock(tx, [walletId]);
      const { perDay: before } = await this.read(ownerId, tx);
      if (perDay === undefined) await this.budgets.remove(tx, walletId);
      else await this.budgets.set(tx, walletId, this.currency.parse(perDay));
      const budget = await this.read(ownerId, tx);
      await this.audit.record(tx, actor, {
        action: 'wallet.budget',
        id: ownerId,
        before: { budgetPerDay: before },
        after: { budgetPerDay: budget.perDay },
      });
      return budget;
    });
  }
}
