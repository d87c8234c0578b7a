import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import type { IdempotentRequest } from '../../platform/http';
import type { Actor } from '../audit';
import type { KnownCurrency } from '../currency';
import type { DeedWish, GuardedDeed } from './guarded-deed';

/** An amount that one person moves. */
export interface SoloSum {
  readonly doneBy: string;
  readonly currency: KnownCurrency;
  readonly amountMinor: bigint;
}

/** The answer 202 to a request for a deed, in the form that an extension gives it. */
export interface PendingDeed {
  readonly id: string;
  readonly askedBy: string;
}

/** An answer may be a stored one that is replayed, so only its form shows which it is. */
export const isPending = (answer: object): answer is PendingDeed => 'askedBy' in answer;

/**
 * Decides what a person may do alone, and keeps all other deeds until a second person decides. It
 * performs them as their owners have registered them.
 *
 * @example
 * constructor(secondPerson: SecondPerson) {
 *   secondPerson.registerRules(this);
 * }
 */
export interface SecondPersonRules {
  /**
   * Selects the deeds that nobody has decided, including those that have lapsed: `id`, `action`, `subject_id`,
   * `source_id` and `expires_at`. A constant part of statements, into which nothing of a request goes.
   */
  readonly undecidedDeeds: string;
  /**
   * Returns the people who are moving nothing alone elsewhere, without waiting for the others. Until the transaction
   * ends nobody moves anything alone in their names.
   */
  takeTurns(tx: EntityManager, people: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns for each sum, in their order, whether its person may move it alone. Those sums then count,
   * unless rolled back.
   */
  takeSoloSums(tx: EntityManager, sums: readonly SoloSum[]): Promise<boolean[]>;
  /** Returns the answers in the order of the wishes, which may be of people who sent no HTTP request. */
  requestDeeds(
    tx: EntityManager,
    wishes: readonly (DeedWish & { readonly askedBy: Actor })[],
  ): Promise<PendingDeed[]>;
  /** Lets undecided deeds about a subject lapse. A deed that someone is deciding at this moment is left to them. */
  lapse(tx: EntityManager, action: string, subjectId: string): Promise<void>;
}

const NO_DEEDS = `
  select null::bigint as id, null::text as action, null::text as subject_id, null::bigint as source_id,
         null::timestamptz as expires_at where false`;

/** May this person do it alone? Everyone may, unless an extension has registered rules. */
@Injectable()
export class SecondPerson {
  private readonly deeds = new Map<string, GuardedDeed>();
  private rules?: SecondPersonRules;

  registerRules(rules: SecondPersonRules): void {
    invariant(!this.rules, 'The rules of the second person are registered twice.');
    this.rules = rules;
  }

  registerDeed<Terms extends object>(deed: GuardedDeed<Terms>): void {
    const { action } = deed;
    invariant(!this.deeds.has(action), () => `The deed ${action} is registered twice.`);
    this.deeds.set(action, deed);
  }

  /** Undefined if its owner is not part of this program. */
  findDeed(action: string): GuardedDeed | undefined {
    return this.deeds.get(action);
  }

  /** {@link SecondPersonRules.undecidedDeeds}; none without rules, because nobody could decide. */
  get undecidedDeeds(): string {
    return this.rules?.undecidedDeeds ?? NO_DEEDS;
  }

  /** {@link SecondPersonRules.takeTurns}, for sums of many people, of whom none waits for another. */
  async takeTurns(tx: EntityManager, people: readonly string[]): Promise<ReadonlySet<string>> {
    return this.rules ? this.rules.takeTurns(tx, people) : new Set(people);
  }

  async takeSoloSums(tx: EntityManager, sums: readonly SoloSum[]): Promise<boolean[]> {
    return this.rules ? this.rules.takeSoloSums(tx, sums) : sums.map(() => true);
  }

  /** Only for deeds whose sums `takeSoloSums` has refused. */
  async requestDeeds(
    tx: EntityManager,
    wishes: readonly (DeedWish & { readonly askedBy: Actor })[],
  ): Promise<PendingDeed[]> {
    if (wishes.length === 0) return [];
    invariant(this.rules, 'Nobody refuses a sum without rules.');
    return this.rules.requestDeeds(tx, wishes);
  }

  /** {@link SecondPersonRules.lapse}. */
  async lapse(tx: EntityManager, action: string, subjectId: string): Promise<void> {
    await this.rules?.lapse(tx, action, subjectId);
  }

  /**
   * Performs a deed if the caller may do it alone, as anyone may with play money, and otherwise requests it. All in
   * `tx`.
   */
  async performOrRequest<T extends object>(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: DeedWish,
    perform: () => Promise<T>,
  ): Promise<T | PendingDeed> {
    const { userId: doneBy } = request.caller;
    const { currency, amountMinor } = wish;
    if (currency.isPlay) return perform();
    const [mayAlone] = await this.takeSoloSums(tx, [{ doneBy, currency, amountMinor }]);
    return mayAlone ? perform() : this.requestDeed(tx, request, wish);
  }

  /** Requests a deed of any amount. If nobody could decide, it is performed. */
  async requestOrPerform<T extends object>(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: DeedWish,
    perform: () => Promise<T>,
  ): Promise<T | PendingDeed> {
    return this.rules ? this.requestDeed(tx, request, wish) : perform();
  }

  private async requestDeed(
    tx: EntityManager,
    request: IdempotentRequest,
    wish: DeedWish,
  ): Promise<PendingDeed> {
    const [pending] = await this.requestDeeds(tx, [{ ...wish, askedBy: request.caller }]);
    request.accept();
    return pending!;
  }
}
