import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { daySum } from '../../platform/postgres';
import { type KnownCurrency, newAccountId } from '../currency';
import type { Account, AccountKind, Transfer } from './account';
import { balanceLimitReached, budgetExceeded, insufficientFunds, walletFrozen } from './wallet.error';

export interface LockedWallet {
  readonly id: string;
  readonly ownerId: string;
  readonly isFrozen: boolean;
  readonly balanceMinor: bigint;
}

/** The limit is far below that of a bigint column, so no sum of a statement can overflow. */
const BALANCE_MINOR_MAX = 10n ** 18n;

const OUTSIDE_WORLD = 'outside';

/** The UTC day that has begun last: a wallet may have been locked across midnight. */
const CLOCK = `(select (clock_timestamp() at time zone 'UTC')::date as today) as clock`;

const SPENT = daySum('today', 'spent_minor');

const beyondLimit = (): Error => balanceLimitReached('The amount would take an account beyond its limit.');

const tooLittle = (): Error => insufficientFunds('The paying account holds less than the amount.');

const sponsorFrozen = (): Error => walletFrozen("The sponsor's wallet is frozen.");

const overBudget = (): Error =>
  budgetExceeded('More money than the budget allows would enter activities today.');

/**
 * The ledger writes every single transfer of money; `settlement.repository.ts` writes the credits
 * of settlement, in batches. A balance changes nowhere else.
 *
 * Locks are always taken in one order, so that no two transactions can wait for each other: wallets
 * by owner, then outbound accounts, then the funding account, then escrows.
 */
@Injectable()
export class LedgerRepository {
  walletOf(tx: EntityManager, ownerId: string, currency: KnownCurrency): Promise<string> {
    return this.accountOf(tx, ownerId, 'wallet', currency);
  }

  escrowOf(tx: EntityManager, activityId: string, currency: KnownCurrency): Promise<string> {
    return this.accountOf(tx, activityId, 'escrow', currency);
  }

  outboundAccountOf(tx: EntityManager, channelId: string, currency: KnownCurrency): Promise<string> {
    return this.accountOf(tx, channelId, 'outbound', currency);
  }

  fundingAccount(tx: EntityManager, currency: KnownCurrency): Promise<string> {
    return this.accountOf(tx, OUTSIDE_WORLD, 'funding', currency);
  }

  /** Locks accounts for the rest of the transaction, in the order in which settlement does. */
  async lock(tx: EntityManager, accountIds: readonly string[]): Promise<Map<string, Account>> {
    const rows: { id: string; kind: AccountKind; status: Account['status']; balance_minor: string }[] =
      await tx.query(
        `select id, kind, status, balance_minor
         from account
        where id = any($1::bigint[])
        order by kind desc, case when kind <> 'escrow' then owner_id end, case when kind <> 'escrow' then currency end, id
          for no key update`,
        [accountIds],
      );
    return new Map(
      rows.map(({ balance_minor, ...row }) => [row.id, { ...row, balanceMinor: BigInt(balance_minor) }]),
    );
  }

  /**
   * Locks the wallets of users in a currency for the rest of the transaction. Leaves out users without a wallet and,
   * if it does not wait, users whose wallet is locked.
   */
  async lockWallets(
    tx: EntityManager,
    ownerIds: readonly string[],
    { code }: KnownCurrency,
    waits: boolean,
  ): Promise<Map<string, LockedWallet>> {
    const rows = await tx.query<(Omit<LockedWallet, 'balanceMinor'> & { balanceMinor: string })[]>(
      `select id, owner_id as "ownerId", status = 'frozen' as "isFrozen", balance_minor as "balanceMinor"
         from account
        where owner_id = any($1::text[]) and kind = 'wallet' and currency = $2
        order by owner_id
          for no key update ${waits ? '' : 'skip locked'}`,
      [ownerIds, code],
    );
    return new Map(rows.map((row) => [row.ownerId, { ...row, balanceMinor: BigInt(row.balanceMinor) }]));
  }

  /**
   * Checks a sponsor's wallet without a lock, to refuse before packets are written. Only {@link transferFromSponsor}
   * decides.
   *
   * @param isSupplied units of this amount enter the wallet in the same transaction
   * @throws walletFrozen, insufficientFunds, budgetExceeded
   */
  async requireSponsor(
    tx: EntityManager,
    accountId: string,
    amountMinor: bigint,
    isSupplied: boolean,
  ): Promise<void> {
    const [wallet] = await tx.query<{ isFrozen: boolean; isEnough: boolean; isOver: boolean }[]>(
      `select status = 'frozen' as "isFrozen", balance_minor >= $2 as "isEnough",
              exists (select from budget, ${CLOCK}
                       where wallet_account_id = $1 and ${SPENT.counted} + $2 > per_day_minor) as "isOver"
         from account where id = $1`,
      [accountId, amountMinor],
    );
    if (wallet!.isFrozen) throw sponsorFrozen();
    if (!isSupplied && !wallet!.isEnough) throw tooLittle();
    if (wallet!.isOver) throw overBudget();
  }

  /**
   * Returns the id of the ledger row.
   * @throws insufficientFunds, balanceLimitReached
   */
  async transfer(tx: EntityManager, transfer: Transfer): Promise<string> {
    const { kind, sourceId, activityId, debitAccountId, creditAccountId, amountMinor } = transfer;
    invariant(amountMinor > 0n, () => `A transfer moves money, not ${amountMinor}.`);
    const accounts = await this.lock(tx, [debitAccountId, creditAccountId]);
    this.checkBalances(accounts.get(debitAccountId), accounts.get(creditAccountId), amountMinor);

    const [row]: { id: string }[] = await tx.query(
      `with debited as (
         update account set balance_minor = balance_minor - $6 where id = $4
       ), credited as (
         update account set balance_minor = balance_minor + $6 where id = $5
       )
       insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
       values ($1, $2, $3, $4, $5, $6)
       returning id`,
      [kind, sourceId, activityId, debitAccountId, creditAccountId, amountMinor],
    );
    return row!.id;
  }

  /**
   * Writes transfers in one statement.
   * @throws insufficientFunds, balanceLimitReached
   */
  async transferTogether(tx: EntityManager, transfers: readonly Transfer[]): Promise<void> {
    if (transfers.length === 0) return;
    const accounts = await this.lock(
      tx,
      transfers.flatMap(({ debitAccountId, creditAccountId }) => [debitAccountId, creditAccountId]),
    );
    for (const { debitAccountId, creditAccountId, amountMinor } of transfers) {
      invariant(amountMinor > 0n, () => `A transfer moves money, not ${amountMinor}.`);
      const [debit, credit] = [accounts.get(debitAccountId), accounts.get(creditAccountId)];
      this.checkBalances(debit, credit, amountMinor);
      accounts.set(debit!.id, { ...debit!, balanceMinor: debit!.balanceMinor - amountMinor });
      accounts.set(credit!.id, { ...credit!, balanceMinor: credit!.balanceMinor + amountMinor });
    }
    await tx.query(
      `with move as (
         select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
           as move (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
       ), change as (
         select account_id, sum(amount_minor) as amount_minor
           from (select debit_account_id as account_id, -amount_minor as amount_minor from move
                 union all select credit_account_id, amount_minor from move) as half
          group by account_id
       ), changed as (
         update account set balance_minor = balance_minor + change.amount_minor
           from change where account.id = change.account_id
       )
       insert into transfer (kind, source_id, activity_id, debit_account_id, credit_account_id, amount_minor)
       select * from move`,
      [
        ...[transfers.map(({ kind }) => kind), transfers.map(({ sourceId }) => sourceId)],
        ...[
          transfers.map(({ activityId }) => activityId),
          transfers.map(({ debitAccountId }) => debitAccountId),
        ],
        ...[
          transfers.map(({ creditAccountId }) => creditAccountId),
          transfers.map(({ amountMinor }) => amountMinor),
        ],
      ],
    );
  }

  /**
   * Writes transfers of one kind into one account. Their wallets are locked and hold enough.
   * The account that receives stays locked to the commit, so call it last.
   * @throws balanceLimitReached
   */
  async transferAll(
    tx: EntityManager,
    kind: Transfer['kind'],
    creditAccountId: string,
    moves: readonly Pick<Transfer, 'sourceId' | 'debitAccountId' | 'amountMinor'>[],
  ): Promise<void> {
    const [credited] = await tx.query<{ balanceMinor: string }[]>(
      `with move as (
         select * from unnest($3::bigint[], $4::bigint[], $5::bigint[]) as move (source_id, debit_account_id, amount_minor)
       ), debited as (
         update account set balance_minor = balance_minor - spent.amount_minor
           from (select debit_account_id, sum(amount_minor) as amount_minor from move group by 1) as spent
          where account.id = spent.debit_account_id
       ), written as (
         insert into transfer (kind, source_id, debit_account_id, credit_account_id, amount_minor)
         select $1, source_id, debit_account_id, $2, amount_minor from move
       ), credited as (
         update account set balance_minor = balance_minor + (select sum(amount_minor) from move) where id = $2
         returning balance_minor
       )
       select balance_minor as "balanceMinor" from credited`,
      [
        ...[kind, creditAccountId, moves.map(({ sourceId }) => sourceId)],
        ...[moves.map(({ debitAccountId }) => debitAccountId), moves.map(({ amountMinor }) => amountMinor)],
      ],
    );
    if (BigInt(credited!.balanceMinor) > BALANCE_MINOR_MAX) throw beyondLimit();
  }

  /**
   * Call it last in the transaction, because the sponsor's wallet stays locked to the commit.
   * @throws walletFrozen, budgetExceeded, insufficientFunds, balanceLimitReached
   */
  async transferFromSponsor(tx: EntityManager, transfer: Transfer): Promise<string> {
    const accounts = await this.lock(tx, [transfer.debitAccountId]);
    if (accounts.get(transfer.debitAccountId)?.status === 'frozen') throw sponsorFrozen();
    await this.spendBudget(tx, transfer);
    return this.transfer(tx, transfer);
  }

  /**
   * The wallet is locked, so no other transaction changes its budget.
   * @throws budgetExceeded
   */
  private async spendBudget(tx: EntityManager, { debitAccountId, amountMinor }: Transfer): Promise<void> {
    const [row] = await tx.query<{ over: boolean }[]>(
      `with spent as (
         update budget set day = ${SPENT.day}, spent_minor = ${SPENT.sum} + $2, days = ${SPENT.daysAdding('$2', SPENT.days)}
           from ${CLOCK}
          where wallet_account_id = $1
         returning ${SPENT.counted} > per_day_minor as over
       )
       select over from spent`,
      [debitAccountId, amountMinor],
    );
    if (row?.over) throw overBudget();
  }

  private checkBalances(debit: Account | undefined, credit: Account | undefined, amountMinor: bigint): void {
    invariant(debit && credit && debit.id !== credit.id, 'A transfer needs two different accounts.');
    if (debit.kind !== 'funding' && debit.balanceMinor < amountMinor) throw tooLittle();
    if (
      credit.balanceMinor + amountMinor > BALANCE_MINOR_MAX ||
      debit.balanceMinor - amountMinor < -BALANCE_MINOR_MAX
    ) {
      throw beyondLimit();
    }
  }

  private async accountOf(
    tx: EntityManager,
    ownerId: string,
    kind: AccountKind,
    { code, number }: KnownCurrency,
  ): Promise<string> {
    const key = [ownerId, kind, code];
    const find = (): Promise<{ id: string }[]> =>
      tx.query(`select id from account where owner_id = $1 and kind = $2 and currency = $3`, key);
    const [known] = await find();
    if (known) return known.id;
    await tx.query(
      `insert into account (id, owner_id, kind, currency, currency_number) overriding system value
       values (${newAccountId('$4')}, $1, $2, $3, $4::smallint)
       on conflict on constraint account_owner_unique do nothing`,
      [...key, number],
    );
    const [row] = await find();
    return row!.id;
  }
}
