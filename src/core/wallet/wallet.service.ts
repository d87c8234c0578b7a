import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/http';
import { AuditLog } from '../audit';
import { Currencies, type KnownCurrency, PLAY_MONEY } from '../currency';
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
  WalletListDto,
  WalletQuery,
} from './wallet.dto';
import {
  depositKept,
  depositNotFound,
  depositReversed,
  insufficientFunds,
  walletFrozen,
} from './wallet.error';
import { type DepositRow, WalletRepository } from './wallet.repository';

@Injectable()
export class WalletService {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly ledger: LedgerRepository,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
  ) {}

  async mine(ownerId: string, query: WalletQuery): Promise<MyWalletDto> {
    return myWallet(await this.read(ownerId, query));
  }

  /** The wallets that hold or have ever held anything, without play money, and the default wallet. */
  async allOf(ownerId: string): Promise<WalletListDto> {
    const codes = new Set([this.currencies.default.code, ...(await this.wallets.currenciesOf(ownerId))]);
    const items: MyWalletDto[] = [];
    codes.delete(PLAY_MONEY);
    for (const currency of codes) items.push(await this.mine(ownerId, { currency }));
    return { items };
  }

  async read(ownerId: string, query: WalletQuery): Promise<WalletDto> {
    return this.readIn(ownerId, await this.currencies.named(query));
  }

  private async readIn(ownerId: string, currency: KnownCurrency, tx?: EntityManager): Promise<WalletDto> {
    const row = await this.wallets.read(ownerId, currency.code, tx);
    const { balanceMinor, pendingMinor, status, createdAt } = row;
    return {
      ownerId,
      balance: currency.format(balanceMinor),
      pending: currency.format(pendingMinor),
      currency: currency.code,
      status,
      createdAt: createdAt?.toISOString() ?? null,
    };
  }

  async entries(
    ownerId: string,
    { limit, cursor, from, to, currency: code, ...filter }: EntriesQuery,
  ): Promise<HistoryPage<EntryDto>> {
    const currency = await this.currencies.named({ currency: code });
    const during = { from: toDate(from), to: toDate(to) };
    const wanted = { ...filter, ...during };
    const { credits, others } = await this.wallets.entries(
      ownerId,
      currency.code,
      wanted,
      pageStartOf(cursor),
      limit + 1,
    );
    const { items, ...rest } = pageOf(credits, others, limit);
    return {
      items: items.map((row) => ({
        transferId: row.id,
        kind: row.kind,
        amount: currency.format(row.amountMinor),
        currency: currency.code,
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
    { amount, reference, currency: code }: DepositBody,
    sourceId: string,
  ): Promise<DepositDto> {
    const currency = await this.currencies.named({ currency: code });
    const walletId = await this.ledger.walletOf(tx, ownerId, currency);
    const accounts = await this.ledger.lock(tx, [walletId]);
    if (accounts.get(walletId)?.status === 'frozen')
      throw walletFrozen(`The wallet of ${ownerId} is frozen.`);
    const before = await this.readIn(ownerId, currency, tx);
    const transferId = await this.ledger.transfer(tx, {
      kind: 'deposit',
      sourceId,
      activityId: null,
      debitAccountId: await this.ledger.fundingAccount(tx, currency),
      creditAccountId: walletId,
      amountMinor: currency.parse(amount),
    });
    if (reference !== undefined) await this.wallets.keepReference(tx, transferId, reference);
    const { balance } = await this.readIn(ownerId, currency, tx);
    await this.audit.record(tx, actor, {
      action: 'wallet.deposit',
      id: ownerId,
      before: { balance: before.balance },
      after: { balance },
      detail: { amount, currency: code, transferId, reference },
    });
    return { transferId, balance, currency: currency.code, reference: reference ?? null };
  }

  /**
   * Finds a deposit that can be taken back now, and locks its wallet, so that no other reversal, rain or payout of
   * its owner spends the same money. A deposit in a frozen wallet can be reversed too: freezing it is how staff keep
   * a mistaken deposit from being spent.
   * @throws depositNotFound, depositKept, depositReversed, insufficientFunds
   */
  async lockReversible(tx: EntityManager, transferId: string): Promise<DepositRow> {
    const deposit = await this.wallets.findDeposit(tx, transferId);
    if (!deposit) throw depositNotFound(`No deposit has the transferId ${transferId}.`);
    const { walletAccountId, ownerId, amountMinor } = deposit;
    const currency = await this.currencies.ofAccount(walletAccountId);
    if (currency.isBacked)
      throw depositKept(`Units of ${currency.code} cannot be moved out of wallets by hand.`);
    const { balanceMinor } = (await this.ledger.lock(tx, [walletAccountId])).get(walletAccountId)!;
    const reversedBy = await this.wallets.findReversal(tx, transferId);
    if (reversedBy) throw depositReversed(`Transfer ${reversedBy} has reversed deposit ${transferId}.`);
    if (balanceMinor < amountMinor)
      throw insufficientFunds(
        `The wallet of ${ownerId} holds ${currency.format(balanceMinor)}, and deposit ${transferId} was ` +
          `${currency.format(amountMinor)}. A deposit is reversed whole or not at all.`,
      );
    return deposit;
  }

  /**
   * Takes a deposit back out of its wallet, to the outside world.
   * @throws depositNotFound, depositKept, depositReversed, insufficientFunds
   */
  async reverseDeposit(
    tx: EntityManager,
    actor: Caller,
    depositId: string,
    reason: string,
  ): Promise<ReversalDto> {
    const { ownerId, walletAccountId, amountMinor } = await this.lockReversible(tx, depositId);
    const currency = await this.currencies.ofAccount(walletAccountId);
    const before = await this.readIn(ownerId, currency, tx);
    const transferId = await this.ledger.transfer(tx, {
      kind: 'reversal',
      sourceId: depositId,
      activityId: null,
      debitAccountId: walletAccountId,
      creditAccountId: await this.ledger.fundingAccount(tx, currency),
      amountMinor,
    });
    const { balance } = await this.readIn(ownerId, currency, tx);
    const amount = currency.format(amountMinor);
    await this.audit.record(tx, actor, {
      action: 'wallet.reverse-deposit',
      id: ownerId,
      before: { balance: before.balance },
      after: { balance },
      detail: { amount, currency: this.currencies.unlessDefault(currency), depositId, transferId, reason },
    });
    return { transferId, reverses: depositId, amount, balance, currency: currency.code };
  }

  /** Settlement refuses a `frozen` wallet and pays into an `active` one again. */
  async setStatus(
    tx: EntityManager,
    actor: Caller,
    ownerId: string,
    status: AccountStatus,
    query: WalletQuery,
  ): Promise<WalletDto> {
    const currency = await this.currencies.named(query);
    const walletId = await this.ledger.walletOf(tx, ownerId, currency);
    const before = (await this.ledger.lock(tx, [walletId])).get(walletId)?.status;
    if (status === before) return this.readIn(ownerId, currency, tx);
    await this.wallets.setStatus(tx, walletId, status);
    await this.audit.record(tx, actor, {
      action: status === 'frozen' ? 'wallet.freeze' : 'wallet.unfreeze',
      id: ownerId,
      before: { status: before },
      after: { status },
      detail: { currency: query.currency },
    });
    return this.readIn(ownerId, currency, tx);
  }
}

const myWallet = ({ balance, pending, currency }: WalletDto): MyWalletDto => ({ balance, pending, currency });

const toDate = (instant: string | undefined): Date | undefined =>
  instant === undefined ? undefined : new Date(instant);
