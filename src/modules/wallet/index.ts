export { LedgerRepository } from './ledger.repository';
export { SettlementQueue } from './settlement-queue';
export { insufficientFunds, walletFrozen } from './wallet.error';
export { WalletApiModule, WalletModule, WalletWorkerModule } from './wallet.module';
