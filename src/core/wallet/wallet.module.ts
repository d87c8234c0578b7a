import { Module, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { agreeOnSetting } from '../../platform/postgres';
import { queueOf } from '../../platform/queue';
import { AuditModule } from '../audit';
import { NewsModule } from '../news';
import { OutletModule } from '../outlet';
import { SecondPersonModule } from '../second-person';
import { BudgetController } from './budget.controller';
import { BudgetRepository } from './budget.repository';
import { BudgetService } from './budget.service';
import { CreditChain } from './credit-chain';
import { DeadLetterController } from './dead-letter.controller';
import { DeadLetterRow } from './dead-letter.entity';
import { DeadLetterRepository } from './dead-letter.repository';
import { DeadLetterService } from './dead-letter.service';
import { DepositService } from './deposit.service';
import { DirectSettlement } from './direct-settlement';
import { HoldController } from './hold.controller';
import { HoldService } from './hold.service';
import { LedgerRepository } from './ledger.repository';
import { creditJob } from './settlement-job';
import { ReversalService } from './reversal.service';
import { SettlementProcessor } from './settlement.processor';
import { SettlementNews } from './settlement-news';
import { SettlementQueue } from './settlement-queue';
import { SettlementRepository } from './settlement.repository';
import { SettlementService } from './settlement.service';
import { SettlementWatch } from './settlement-watch';
import { UnsettledSweep } from './unsettled-sweep';
import { WalletController } from './wallet.controller';
import { WalletListController } from './wallet-list.controller';
import { WalletListRepository } from './wallet-list.repository';
import { WalletListService } from './wallet-list.service';
import { WalletRepository } from './wallet.repository';
import { WalletService } from './wallet.service';

/**
 * The ledger, and the path of claims to settlement. Amounts that name no currency are of the default, so a
 * process that is configured for another default must not start.
 */
@Module({
  imports: [queueOf(creditJob), TypeOrmModule.forFeature([DeadLetterRow])],
  providers: [CreditChain, DeadLetterRepository, LedgerRepository, SettlementQueue],
  exports: [CreditChain, DeadLetterRepository, LedgerRepository, SettlementQueue],
})
export class WalletModule implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): Promise<void> {
    return agreeOnSetting(this.dataSource, 'CURRENCY', this.config.CURRENCY);
  }
}

@Module({
  imports: [AuditModule, SecondPersonModule, WalletModule],
  controllers: [
    WalletController,
    WalletListController,
    BudgetController,
    DeadLetterController,
    HoldController,
  ],
  providers: [
    BudgetRepository,
    BudgetService,
    DeadLetterService,
    DepositService,
    HoldService,
    ReversalService,
    WalletListRepository,
    WalletListService,
    WalletRepository,
    WalletService,
  ],
})
export class WalletApiModule {}

@Module({
  imports: [NewsModule, OutletModule, WalletModule],
  providers: [
    DirectSettlement,
    SettlementNews,
    SettlementProcessor,
    SettlementRepository,
    SettlementService,
    SettlementWatch,
    UnsettledSweep,
  ],
})
export class WalletWorkerModule {}
