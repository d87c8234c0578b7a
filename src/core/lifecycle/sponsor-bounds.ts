import { Injectable, Module } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { SplitTerms } from '../../../libs/split';
import type { Caller } from '../../platform/http';
import type { KnownCurrency } from '../currency';
import { DailyPackets } from './daily-packets';
import type { AnySplitBody } from './split.dto';

/** Packets that someone adds to what they sponsor. */
export interface AddedPackets {
  readonly caller: Caller;
  readonly walletId: string;
  readonly currency: KnownCurrency;
  readonly terms: SplitTerms;
  /** The number of packets that the activity has already; 0 if it is new. */
  readonly packetsBefore: number;
}

/** A total whose sponsor has not said how to split it. */
export interface PlainTotal {
  readonly totalAmount: string;
  readonly currency?: string;
  readonly packetCount: number;
}

/**
 * Limits what people who do not act for the installation may put into activities.
 *
 * @example
 * class Modesty implements Bounds {
 *   constructor(bounds: SponsorBounds) {
 *     bounds.register(this);
 *   }
 *   splitOf = async () => ({ kind: 'equal' as const });
 *   async requireRoom(_: EntityManager, { terms }: AddedPackets) {
 *     if (terms.totalMinor > 100n) throw tooMuch('Send less.');
 *   }
 *   take = async () => undefined;
 * }
 */
export interface Bounds {
  /** Chooses the split of a total whose sponsor has not said it. */
  splitOf(total: PlainTotal): Promise<AnySplitBody>;
  /** Refuses early, before anything is written. @throws Problem */
  requireRoom(tx: EntityManager, added: AddedPackets): Promise<void>;
  /** Counts packets that are paid for. The sponsor's wallet is locked to the commit. @throws Problem */
  take(tx: EntityManager, added: AddedPackets): Promise<void>;
}

/** Limits what a sponsor may add: packets per day, because of the disk, and whatever an extension limits. */
@Injectable()
export class SponsorBounds {
  private readonly bounds: Bounds[] = [];

  constructor(private readonly dailyPackets: DailyPackets) {}

  register(bounds: Bounds): void {
    this.bounds.push(bounds);
  }

  async splitOf(total: PlainTotal): Promise<AnySplitBody> {
    const [first] = this.bounds;
    return first ? first.splitOf(total) : { kind: 'random' };
  }

  /**
   * The first check only saves work. {@link take} decides.
   * @throws tooManyPackets, what {@link Bounds.requireRoom} throws
   */
  async requireRoom(tx: EntityManager, added: AddedPackets): Promise<void> {
    const { caller, walletId, terms } = added;
    await this.dailyPackets.requireRoom(tx, caller, walletId, terms.packetCount);
    for (const one of this.bounds) await one.requireRoom(tx, added);
  }

  /**
   * Call it after the transfer, which has locked the wallet: of two requests the later one counts the earlier one.
   * @throws tooManyPackets, what {@link Bounds.take} throws
   */
  async take(tx: EntityManager, added: AddedPackets): Promise<void> {
    const { caller, walletId } = added;
    await this.dailyPackets.requireRoom(tx, caller, walletId, 0);
    for (const one of this.bounds) await one.take(tx, added);
  }
}

@Module({ providers: [DailyPackets, SponsorBounds], exports: [SponsorBounds] })
export class SponsorBoundsModule {}
