import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { type Caller, unavailable } from '../../platform/http';
import { Currencies } from './currencies';
import type { CurrencyKind, KnownCurrency } from './known-currency';

/** The terms of a creation that decide its currency. */
export interface MoneyTerms {
  readonly currency?: string;
  readonly rehearsal?: boolean;
}

/** Packets that someone wants to add to an activity, the first ones included. */
export interface WantedPackets {
  readonly currency: KnownCurrency;
  readonly sponsorId: string;
  readonly packetCount: number;
  readonly totalMinor: bigint;
  readonly splitKind: string;
  /** The request's name for the total, for problems. */
  readonly amountField: 'totalAmount' | 'amount';
}

/** Units that someone is about to give, and the wallet that gives them. */
export interface NeededUnits {
  readonly currency: KnownCurrency;
  readonly walletId: string;
  readonly amountMinor: bigint;
  /** The source id of the request that gives them, if it is a request: the key of the deposit. */
  readonly sourceId?: string;
}

/** Packets of an activity whose numbers begin with `firstNo`. */
export interface NumberedPackets {
  readonly activityId: string;
  readonly currency: KnownCurrency;
  readonly firstNo: number;
  readonly packetCount: number;
}

/**
 * Manages the units of one kind of currency, and whatever backs them. They enter wallets through deposits
 * that it makes itself.
 *
 * @example
 * class Seats implements Backing {
 *   readonly kind = 'seats';
 *   constructor(backings: Backings) {
 *     backings.register(this);
 *   }
 *   async requireGivable(tx: EntityManager, { packetCount }: WantedPackets) {
 *     if ((await this.free(tx)) < packetCount) throw tooFewSeats('Take fewer packets.');
 *   }
 *   …
 * }
 */
export interface Backing {
  readonly kind: CurrencyKind;

  /**
   * Chooses the currency of a new activity by the field that `defineBackingFields` has declared.
   * @param named the currency that the terms name or imply
   * @throws Problem `request.invalid` naming a field
   */
  chooseCurrency?(caller: Caller, terms: MoneyTerms, named: KnownCurrency): Promise<KnownCurrency>;

  /**
   * Refuses packets early, without a lock. Only {@link reserve} decides.
   * @throws Problem `request.invalid` naming a field, the problems of the extension
   */
  requireGivable?(tx: EntityManager, packets: WantedPackets): Promise<void>;

  /**
   * Brings units into a wallet that gives them away next in the same transaction. Without this method the wallet has
   * to hold them already. It locks the wallet and the funding account.
   */
  supply?(tx: EntityManager, units: NeededUnits): Promise<void>;

  /**
   * Sets aside what these packets give. Their units are in the escrow, and the sponsor's wallet is locked to the
   * commit.
   */
  reserve?(tx: EntityManager, packets: NumberedPackets): Promise<void>;
}

/**
 * Finds what backs the units of a currency: nothing, unless an extension has registered a backing for their
 * kind.
 */
@Injectable()
export class Backings {
  private readonly backings = new Map<CurrencyKind, Backing>();

  constructor(private readonly currencies: Currencies) {}

  register(backing: Backing): void {
    invariant(!this.backings.has(backing.kind), () => `Units of ${backing.kind} are kept twice.`);
    this.backings.set(backing.kind, backing);
  }

  /** @throws what {@link Backing.chooseCurrency} throws */
  async currencyOf(caller: Caller, terms: MoneyTerms): Promise<KnownCurrency> {
    let chosen = await this.currencies.named(terms);
    for (const backing of this.backings.values())
      chosen = (await backing.chooseCurrency?.(caller, terms, chosen)) ?? chosen;
    return chosen;
  }

  /** @throws what {@link Backing.requireGivable} throws, unavailable */
  async requireGivable(tx: EntityManager, packets: WantedPackets): Promise<void> {
    await this.of(packets.currency)?.requireGivable?.(tx, packets);
  }

  /** True if wallets need not hold what they give. @throws unavailable */
  supplies(currency: KnownCurrency): boolean {
    return this.of(currency)?.supply !== undefined;
  }

  /** @throws what {@link Backing.supply} throws, unavailable */
  async supply(tx: EntityManager, units: NeededUnits): Promise<void> {
    await this.of(units.currency)?.supply?.(tx, units);
  }

  /** @throws what {@link Backing.reserve} throws, unavailable */
  async reserve(tx: EntityManager, packets: NumberedPackets): Promise<void> {
    await this.of(packets.currency)?.reserve?.(tx, packets);
  }

  private of({ kind, isBacked }: KnownCurrency): Backing | undefined {
    const backing = this.backings.get(kind);
    if (backing || !isBacked) return backing;
    throw unavailable(
      `This program does not know what units of the kind ${kind} stand for. Try again; upgrade it if that does not help.`,
      { retryAfterSeconds: 1 },
    );
  }
}
