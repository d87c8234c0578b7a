import type { EntityManager } from 'typeorm';
import type { PacketBounds, SplitTerms } from '../../../libs/split';
import type { KnownCurrency } from '../currency';

/** The credits that an activity may write. */
export interface PlannedCredits extends PacketBounds {
  readonly totalMinor: bigint;
  readonly currency: KnownCurrency;
}

/** How far a credit has got: into the wallet, on its way out of it, or to its destination. */
export type CreditState = 'credited' | 'sent' | 'paid';

/** Parts of statements of the core: constants, into which nothing of a request goes. */
export interface OutletSql {
  /**
   * A part of the `with` of the statement that credits, with the comma after it. It reads `owed`, the
   * claims, and `credited`, the wallets, and decides neither about claims nor about balances.
   */
  readonly sendOn: string;
  /** Joins to `claim` the rows that `state` reads. */
  readonly joins: string;
  /** The {@link CreditState} of a claim that was credited. */
  readonly state: string;
}

/**
 * The destination of credits after they reach the wallets of winners. An activity keeps an id that only its
 * outlet understands, and the rain is done with a credit once it is in the wallet.
 *
 * @example
 * class GiftCards implements Outlet {
 *   constructor(outlet: CreditOutlet) {
 *     outlet.registerOutlet(this);
 *   }
 *   async requireOpenable(tx: EntityManager, { shopId }: GiftTerms, { leastMinor }: PlannedCredits) {
 *     if (leastMinor < (await this.shop(tx, shopId)).leastMinor) throw giftTooSmall('Give more.');
 *     return shopId;
 *   }
 *   …
 * }
 */
export interface Outlet {
  readonly sql: OutletSql;

  /**
   * Refuses an activity whose credits could not all leave.
   * @param terms as `defineOutlet` has declared them
   * @returns the id that the activity keeps
   * @throws the problems that `defineOutlet` names
   */
  requireOpenable(tx: EntityManager, terms: object, credits: PlannedCredits): Promise<string>;

  /**
   * Does the same for an addition to an activity.
   * @param credits with the addition
   * @param agreedMinor their sum without it
   */
  requireAddable(
    tx: EntityManager,
    id: string,
    credits: PlannedCredits,
    agreedMinor: bigint,
    days?: number,
  ): Promise<void>;

  /** Estimates when all credits will have arrived if everything is won now. Undefined if nobody can know. */
  estimate(
    tx: EntityManager,
    terms: object,
    credits: Pick<SplitTerms, 'packetCount' | 'totalMinor'>,
  ): Promise<object | undefined>;

  /** The terms as answers show them. */
  termsOf(id: string): object;

  /** Leaves out claims whose credit stays in the wallet. */
  statesOf(claimIds: readonly string[]): Promise<ReadonlyMap<string, CreditState>>;
}
