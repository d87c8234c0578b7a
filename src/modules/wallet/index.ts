export {
  type Credit,
  CreditChain,
  type HistoryPage,
  type ListedRow,
  pageOf,
  type Place,
  placeOf,
} from './credit-chain';
export { creditJob } from './settlement-job';
export type { DeadLetterRow } from './dead-letter.entity';
export { DeadLetterRepository } from './dead-letter.repository';
export { LedgerRepository } from './ledger.repository';
export { walletSchema } from './schema';
export { SettlementQueue } from './settlement-queue';
export {
  balanceLimitReached,
  deadLetterNotFound,
  deadLetterNotOpen,
  insufficientFunds,
  walletFrozen,
} from './wallet.error';
export { WalletApiModule, WalletModule, WalletWorkerModule } from './wallet.module';
export { WalletService } from './wallet.service';
