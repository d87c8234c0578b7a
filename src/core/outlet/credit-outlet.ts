import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invariant } from '../../../libs/invariant';
import type { SplitTerms } from '../../../libs/split';
import { unavailable } from '../../platform/http';
import type { CreditState, Outlet, OutletSql, PlannedCredits } from './outlet';

/** The parts of statements if credits stay in wallets. */
export const NO_SQL: OutletSql = { sendOn: '', joins: '', state: `'credited'` };

/** Where do credits go from wallets? They stay there, unless an extension has registered an outlet. */
@Injectable()
export class CreditOutlet {
  private outlet?: Outlet;

  registerOutlet(outlet: Outlet): void {
    invariant(!this.outlet, 'The outlet of credits is registered twice.');
    this.outlet = outlet;
  }

  get sql(): OutletSql {
    return this.outlet?.sql ?? NO_SQL;
  }

  /**
   * @returns the id that the activity keeps; null if its credits stay in wallets
   * @throws what {@link Outlet.requireOpenable} throws, unavailable
   */
  async requireOpenable(
    tx: EntityManager,
    terms: object | undefined,
    credits: PlannedCredits,
  ): Promise<string | null> {
    return terms === undefined ? null : this.requireOutlet().requireOpenable(tx, terms, credits);
  }

  /** @throws what {@link Outlet.requireAddable} throws, unavailable */
  async requireAddable(
    tx: EntityManager,
    id: string | null,
    credits: PlannedCredits,
    agreedMinor: bigint,
    days?: number,
  ): Promise<void> {
    if (id !== null) await this.requireOutlet().requireAddable(tx, id, credits, agreedMinor, days);
  }

  /** @throws unavailable */
  async estimate(
    tx: EntityManager,
    terms: object,
    credits: Pick<SplitTerms, 'packetCount' | 'totalMinor'>,
  ): Promise<object | undefined> {
    return this.requireOutlet().estimate(tx, terms, credits);
  }

  /** Null if credits stay in wallets; undefined if this program has no field for it. */
  termsOf(id: string | null): object | null | undefined {
    return this.outlet && (id === null ? null : this.outlet.termsOf(id));
  }

  async statesOf(claimIds: readonly string[]): Promise<ReadonlyMap<string, CreditState>> {
    return this.outlet ? this.outlet.statesOf(claimIds) : new Map();
  }

  /** During a deployment programs of both versions run, so the next try may reach the other one. */
  private requireOutlet(): Outlet {
    if (this.outlet) return this.outlet;
    throw unavailable(
      'This program does not know where these credits go. Try again; upgrade it if that does not help.',
      { retryAfterSeconds: 1 },
    );
  }
}
