import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import type { Caller } from '../../platform/http';
import { AuditLog } from '../audit';
import type { AccountStatus } from './account';
import { type HistoryPage, pageOf, pageStartOf } from './credit-chain';
import { LedgerRepository } from './ledger.repository';
import type {
  DepositBody,
  DepositDto,
  EntriesQuery,
  EntryDto,
  MyWalletDto,
  ReversalDto,
  WalletDto,
} from './wallet.dto';
import { depositNotFound, depositReversed, insufficientFunds, walletFrozen } from './wallet.error';
import { type DepositRow, WalletRepository } from './wallet.repository';

@Injectable()
export class WalletService {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
  ) {}

  async mine(ownerId: string): Promise<MyWalletDto> {
    const { balance, pending, currency } = await this.read(ownerId);
    return { balance, pending, currency };
  }

  async read(ownerId: string, tx?: EntityManager): Promise<WalletDto> {
    const { balanceMinor, pendingMinor, status, createdAt } = await this.wallets.read(ownerId, tx);
    return {
      ownerId,
      balance: this.currency.format(balanceMinor),
      pending: this.currency.format(pendingMinor),
      currency: this.currency.code,
      status,
      createdAt: createdAt?.toISOString() ?? null,
    };
  }

  async entries(
    ownerId: string,
    { limit, cursor, from, to, ...filter }: EntriesQuery,
  ): Promise<HistoryPage<EntryDto>> {
    const during = { from: toDate(from), to: toDate(to) };
    const wanted = { ...filter, ...during };
    const { credits, others } = await this.wallets.entries(ownerId, wanted, pageStartOf(cursor), limit + 1);
    const { items, ...rest } = pageOf(credits, others, limit);
    return {
      items: items.map((row) => ({
        transferId: row.id,
        kind: row.kind,
        amount: this.currency.format(row.amountMinor),
        currency: this.currency.code,
        activityId: row.activityId,
        reference: row.reference,
        reverses: row.reverses,
        reversedBy: row.reversedBy,
        at: row.at.toISOString(),
      })),
      ...rest,
    };
  }

  /**
   * Brings money from the outside world into a wallet.
   * @param sourceId the id of the request's idempotency key
   * @throws walletFrozen, balanceLimitReached
   */
  async deposit(
    tx: EntityManager,
    actor: Caller,
    ownerId: string,
    { amount, reference }: DepositBody,
    sourceId: string,
  ): Promise<DepositDto> {
    const walletId = await this.ledger.walletOf(tx, ownerId);
    const accounts = await this.ledger.lock(tx, [walletId]);
    if (accounts.get(walletId)?.status === 'frozen')
      throw walletFrozen(`The wallet of ${ownerId} is frozen.`);
    const before = await this.read(ownerId, tx);
    const transferId = await this.ledger.transfer(tx, {
      kind: 'deposit',
      sourceId,
      activityId: null,
      debitAccountId: await this.ledger.fundingAccount(tx),
      creditAccountId: walletId,
      amountMinor: this.currency.parse(amount),
    });
    if (reference !== undefined) await this.wallets.keepReference(tx, transferId, reference);
    const { balance } = await this.read(ownerId, tx);
    await this.audit.record(tx, actor, {
      action: 'wallet.deposit',
      id: ownerId,
      before: { balance: before.balance },
      after: { balance },
      detail: { amount, transferId, reference },
    });
    return { transferId, balance, currency: this.currency.code, reference: reference ?? null };
  }

  /**
   * Finds a deposit that can be taken back now, and locks its wallet: of several reversals at once, and
   * of rains and payouts of its owner, none spends the same money. A frozen wallet can be reversed too:
   * freezing it is how staff keep a mistaken deposit from being spent.
   * @throws depositNotFound, depositReversed, insufficientFunds
   */
  async lockReversible(tx: EntityManager, transferId: string): Promise<DepositRow> {
    const deposit = await this.wallets.findDeposit(tx, transferId);
    if (!deposit) throw depositNotFound(`No deposit has the transferId ${transferId}.`);
    const { walletAccountId, ownerId, amountMinor } = deposit;
    const { balanceMinor } = (await this.ledger.lock(tx, [walletAccountId])).get(walletAccountId)!;
    const reversedBy = await this.wallets.findReversal(tx, transferId);
    if (reversedBy) throw depositReversed(`Transfer ${reversedBy} has reversed deposit ${transferId}.`);
    if (balanceMinor < amountMinor)
      throw insufficientFunds(
        `The wallet of ${ownerId} holds ${this.currency.format(balanceMinor)}, and deposit ${transferId} was ` +
          `${this.currency.format(amountMinor)}. A deposit is reversed whole or not at all.`,
      );
    return deposit;
  }

  /**
   * Takes a deposit back out of its wallet, to the outside world.
   * @throws depositNotFound, depositReversed, insufficientFunds
   */
  async reverseDeposit(
    tx: EntityManager,
    actor: Caller,
    depositId: string,
    reason: string,
  ): Promise<ReversalDto> {
    const { ownerId, walletAccountId, amountMinor } = await this.lockReversible(tx, depositId);
    const before = await this.read(ownerId, tx);
    const transferId = await this.ledger.transfer(tx, {
      kind: 'reversal',
      sourceId: depositId,
      activityId: null,
      debitAccountId: walletAccountId,
      creditAccountId: await this.ledger.fundingAccount(tx),
      amountMinor,
    });
    const { balance, currency } = await this.read(ownerId, tx);
    const amount = this.currency.format(amountMinor);
    await this.audit.record(tx, actor, {
      action: 'wallet.reverse-deposit',
      id: ownerId,
      before: { balance: before.balance },
      after: { balance },
      detail: { amount, depositId, transferId, reason },
    });
    return { transferId, reverses: depositId, amount, balance, currency };
  }

  /** Settlement refuses a `frozen` wallet and pays into an `active` one again. */
  async setStatus(
    tx: EntityManager,
    actor: Caller,
    ownerId: string,
    status: AccountStatus,
  ): Promise<WalletDto> {
    const walletId = await this.ledger.walletOf(tx, ownerId);
    const before = (await this.ledger.lock(tx, [walletId])).get(walletId)?.status;
    if (status === before) return this.read(ownerId, tx);
    await this.wallets.setStatus(tx, walletId, status);
    await this.audit.record(tx, actor, {
      action: status === 'frozen' ? 'wallet.freeze' : 'wallet.unfreeze',
      id: ownerId,
      before: { status: before },
      after: { status },
    });
    return this.read(ownerId, tx);
  }
}

const toDate = (instant: string | undefined): Date | undefined =>
  instant === undefined ? undefined : new Date(instant);
