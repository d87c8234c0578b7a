import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import { unavailable } from '../../platform/http';
import type { CurrencyKind, KnownCurrency } from './known-currency';

/** Packets that somebody wants to add to an activity, the first ones included. */
export interface WantedPackets {
  readonly currency: KnownCurrency;
  readonly sponsorId: string;
  readonly packetCount: number;
  readonly totalMinor: bigint;
  readonly splitKind: string;
  /** The request's name for the total, for problems. */
  readonly amountField: 'totalAmount' | 'amount';
}

/** Packets of an activity, numbered from `firstNo` on. */
export interface NumberedPackets {
  readonly activityId: string;
  readonly currency: KnownCurrency;
  readonly firstNo: number;
  readonly packetCount: number;
}

/**
 * Keeps what the units of a kind of currency stand for. Its units enter wallets by a deposit that it makes
 * itself, and the unit of a void claim leaves the ledger for good, as what it stood for was already
 * promised to somebody.
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
   * Refuses packets early, without a lock. Only {@link reserve} decides.
   * @throws Problem `request.invalid` naming a field, the problems of the extension
   */
  requireGivable(tx: EntityManager, packets: WantedPackets): Promise<void>;

  /**
   * Sets aside what these packets give. Their units are in the escrow, and the sponsor's wallet is locked to the
   * commit.
   */
  reserve(tx: EntityManager, packets: NumberedPackets): Promise<void>;
}

/** What stands behind units? Nothing, unless their kind of currency says so; then an extension keeps it. */
@Injectable()
export class Backings {
  private readonly backings = new Map<CurrencyKind, Backing>();

  register(backing: Backing): void {
    invariant(!this.backings.has(backing.kind), () => `Units of ${backing.kind} are kept twice.`);
    this.backings.set(backing.kind, backing);
  }

  /** @throws what {@link Backing.requireGivable} throws, unavailable */
  async requireGivable(tx: EntityManager, packets: WantedPackets): Promise<void> {
    await this.of(packets.currency)?.requireGivable(tx, packets);
  }

  /** @throws what {@link Backing.reserve} throws, unavailable */
  async reserve(tx: EntityManager, packets: NumberedPackets): Promise<void> {
    await this.of(packets.currency)?.reserve(tx, packets);
  }

  private of({ kind, isBacked }: KnownCurrency): Backing | undefined {
    const backing = this.backings.get(kind);
    if (backing || !isBacked) return backing;
    throw unavailable(
      `This program does not know what units of the kind ${kind} stand for. Try again; upgrade it if it stays.`,
      { retryAfterSeconds: 1 },
    );
  }
}
