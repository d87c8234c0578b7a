export {
  type Credit,
  CreditChain,
  type HistoryPage,
  type ListedRow,
  NO_LINK,
  NO_OTHERS,
  pageOf,
  type PageStart,
  pageStartOf,
  type Walk,
} from './credit-chain';
export { type Transfer, TRANSFER_KINDS, type TransferKind } from './account';
export { creditJob } from './settlement-job';
export type { DeadLetterRow } from './dead-letter.entity';
export { DeadLetterRepository } from './dead-letter.repository';
export { walletDeeds } from './deeds';
export { LedgerRepository, type LockedWallet } from './ledger.repository';
export { walletSchema } from './schema';
export { SettlementQueue } from './settlement-queue';
export {
  balanceLimitReached,
  budgetExceeded,
  deadLetterNotFound,
  deadLetterNotOpen,
  insufficientFunds,
  walletFrozen,
} from './wallet.error';
export { WalletApiModule, WalletModule, WalletWorkerModule } from './wallet.module';
