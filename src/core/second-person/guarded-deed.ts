import type { EntityManager } from 'typeorm';
import type { ProblemFactory } from '../../../libs/problem';
import type { Caller } from '../../platform/http';
import type { KnownCurrency } from '../currency';

/** A deed that someone asks for, with everything that it needs. */
export interface DeedWish<Terms extends object = object> {
  /** `<noun>.<verb>`, as in the audit log. */
  readonly action: string;
  /** The id of the subject. */
  readonly subjectId: string;
  /**
   * The source of the transfer of a deposit, void or payout, fixed here so that the ledger accepts it only
   * once. The source of any other transfer is the thing that it creates.
   */
  readonly sourceId: string;
  readonly currency: KnownCurrency;
  readonly amountMinor: bigint;
  /** Stored as JSON. */
  readonly terms: Terms;
}

/** The description of a deed in the API document. */
export interface DeedDescription {
  readonly action: string;
  /** The noun of the subject, unless it is that of the action. */
  readonly noun?: string;
  /** The fields of its terms in words, unless they are the body of its request. */
  readonly terms?: string;
  /** Fields of its terms that must not be in the audit log, which never changes. */
  readonly unlogged?: readonly string[];
  readonly problems: readonly ProblemFactory[];
  readonly rejectionProblems?: readonly ProblemFactory[];
}

export interface PerformedDeed {
  /** The id of the thing that it created. */
  readonly resultId?: string;
  /** The result for the audit log. */
  readonly detail: Record<string, unknown>;
}

/**
 * A deed that may need a second person. The module that owns it registers it, and types its terms. They
 * are read back as this or an older release has stored them.
 *
 * @example
 * secondPerson.registerDeed<DepositTerms>({
 *   ...DEPOSIT,
 *   perform: async (tx, approver, { subjectId, terms }) => {
 *     const { transferId } = await this.deposit(tx, approver, subjectId, terms);
 *     return { detail: { transferId } };
 *   },
 * });
 */
export interface GuardedDeed<Terms extends object = object> extends DeedDescription {
  /** Adds the steps that must happen before and after the transaction of the deed. */
  around?<T extends { readonly resultId: string | null }>(
    approver: Caller,
    wish: DeedWish<Terms>,
    transaction: () => Promise<T>,
  ): Promise<T>;
  /**
   * The approver is the actor in the audit log.
   * @throws what the same deed throws if one person does it alone
   */
  perform(tx: EntityManager, approver: Caller, wish: DeedWish<Terms>): Promise<PerformedDeed>;
  /** Ends whatever waited for the deed. */
  reject?(tx: EntityManager, wish: DeedWish<Terms>): Promise<void>;
}
