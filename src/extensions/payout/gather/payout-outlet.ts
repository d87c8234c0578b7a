import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { SplitTerms } from '../../../../libs/split';
import {
  CreditOutlet,
  type CreditState,
  defineOutlet,
  type Outlet,
  type OutletSql,
  type PlannedCredits,
} from '../../../core/outlet';
import type { PayoutEstimateDto } from '../channel/channel.dto';
import { type PayoutTerms, payoutTerms } from '../channel/payout-terms';
import { UsableChannels } from '../channel/usable-channels';

defineOutlet(payoutTerms);

/** What is credited in an activity with a channel is unsent, until {@link UnsentSweep} gathers it. */
const UNSENT = `unsent as (
         insert into payout_credit (claim_id, activity_id, channel_id, wallet_account_id, amount_minor)
         select owed.id, owed.activity_id, owed.payout_channel_id, credited.id, owed.amount_minor
           from owed
           join credited on (credited.owner_id, credited.currency_number) = (owed.user_id, owed.currency_number)
          where owed.payout_channel_id is not null
       ), `;

const PAYOUT_OF_CLAIM = `
         left join payout_credit on payout_credit.claim_id = claim.id
         left join payout on payout.id = payout_id`;

/**
 * Follows the payout of a credit. One that was refused or returned, or waits for a second person, has
 * left the money in the wallet.
 */
const STATE = `
  case when payout.state is null or payout.state in ('review', 'refused', 'returned') then 'credited'
       when payout.state = 'paid' then 'paid'
       else 'sent' end`;

/** Credits leave through channels. */
@Injectable()
export class PayoutOutlet implements Outlet {
  readonly sql: OutletSql = { sendOn: UNSENT, joins: PAYOUT_OF_CLAIM, state: STATE };

  constructor(
    private readonly channels: UsableChannels,
    @InjectDataSource() private readonly dataSource: DataSource,
    outlet: CreditOutlet,
  ) {
    outlet.registerOutlet(this);
  }

  /** @throws channelNotFound, channelPaused, activityUnpayable */
  async requireOpenable(
    tx: EntityManager,
    { channelId, days }: PayoutTerms,
    credits: PlannedCredits,
  ): Promise<string> {
    await this.channels.requirePayable(tx, channelId, { ...credits, days });
    return channelId;
  }

  /** @throws channelNotFound, channelPaused, activityUnpayable */
  requireAddable(
    tx: EntityManager,
    channelId: string,
    credits: PlannedCredits,
    agreedMinor: bigint,
    days?: number,
  ): Promise<void> {
    return this.channels.requirePayable(tx, channelId, { ...credits, agreedMinor, days });
  }

  estimate(
    tx: EntityManager,
    { channelId }: PayoutTerms,
    credits: Pick<SplitTerms, 'packetCount' | 'totalMinor'>,
  ): Promise<PayoutEstimateDto | undefined> {
    return this.channels.estimate(tx, channelId, credits);
  }

  termsOf(channelId: string): PayoutTerms {
    return { channelId };
  }

  async statesOf(claimIds: readonly string[]): Promise<Map<string, CreditState>> {
    const states = await this.dataSource.query<{ id: string; settlement: CreditState }[]>(
      `select claim_id as id, ${STATE} as settlement
         from payout_credit join payout on payout.id = payout_id where claim_id = any($1::bigint[])`,
      [claimIds],
    );
    return new Map(states.map(({ id, settlement }) => [id, settlement]));
  }
}
