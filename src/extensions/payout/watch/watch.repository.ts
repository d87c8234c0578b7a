import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Queries } from '../../../platform/postgres';
import type { PayoutState } from '../book/payout-state';
import { isHeldByFinding } from '../channel/finding.repository';
import { IS_MISDATED } from '../gather/unsent.repository';

/** The most rows of a channel that are counted, so that this stays cheap after a large rain. */
const COUNTED_MAX = 10_000;

export interface ChannelStanding {
  readonly channel: string;
  readonly name: string;
  readonly isPaused: boolean;
  /** The sum on its way out through it. */
  readonly outboundMinor: string;
  readonly outboundAccountId: string;
  readonly isCircuitOpen: boolean;
  readonly isHeldByFinding: boolean;
  readonly unsent: number;
  readonly overdueSeconds: number;
  /** The claim of the first credit that waits for the sweep because a clock that was ahead has put it off. */
  readonly misdated: string | null;
  readonly findings: number;
}

export interface OpenPayouts {
  readonly channel: string;
  readonly state: PayoutState;
  readonly count: number;
  /** Negative when the clock has stepped back. */
  readonly oldestSeconds: number;
  /** Identifies the first of them with its last sending: sent again, it counts as another. */
  readonly first: string;
}

/** Reads payouts that have not ended, by indexes that hold nothing else. */
@Injectable()
export class WatchRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Both from one snapshot, so that the open payouts fit the sum that is on its way. */
  both(): Promise<[ChannelStanding[], OpenPayouts[]]> {
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => [
      await this.channels(tx),
      await this.open(tx),
    ]);
  }

  /** A deleted channel stays while it has a finding. */
  channels(db: Queries = this.dataSource): Promise<ChannelStanding[]> {
    return db.query<ChannelStanding[]>(
      `select channel.id as channel, name, is_paused as "isPaused", balance_minor as "outboundMinor",
              outbound_account_id as "outboundAccountId",
              coalesce(open_until is not null, false) as "isCircuitOpen",
              ${isHeldByFinding('channel.id')} as "isHeldByFinding",
              unsent.count as unsent,
              case when is_paused or due_at is null then 0 else greatest(0, extract(epoch from now() - due_at)::float8
                - coalesce((profile->>'gatherSeconds')::float8, 0)) end as "overdueSeconds",
              case when not is_paused then
                (select claim_id from payout_credit
                  where channel_id = channel.id and payout_id is null and released_at is null and ${IS_MISDATED}
                  order by payout_credit.due_at limit 1) end as misdated,
              coalesce(findings.count, 0) as findings
         from payout_channel channel
         join account on account.id = outbound_account_id
         left join payout_pace on payout_pace.channel_id = channel.id
         left join (select channel_id, count(*)::int as count from payout_finding where ended_at is null group by 1)
                as findings on findings.channel_id = channel.id
        cross join lateral (
          select count(*)::int as count, min(due_at) as due_at
            from (select due_at from payout_credit
                   where channel_id = channel.id and payout_id is null and released_at is null
                   order by due_at limit $1) as first) as unsent
        where deleted_at is null or findings.count > 0 or unsent.count > 0
        order by channel.id`,
      [COUNTED_MAX],
    );
  }

  open(db: Queries = this.dataSource): Promise<OpenPayouts[]> {
    return db.query<OpenPayouts[]>(
      `select channel.id as channel, first.state, count(*)::int as count,
              extract(epoch from now() - min(first.since))::float8 as "oldestSeconds",
              (array_agg(first.id || ' ' || first.since order by first.id))[1] as first
         from payout_channel channel
        cross join lateral (
          select id, state, coalesce(last_sent_at, created_at) as since
            from payout where channel_id = channel.id and ended_at is null order by id limit $1) as first
        group by 1, 2`,
      [COUNTED_MAX],
    );
  }
}
