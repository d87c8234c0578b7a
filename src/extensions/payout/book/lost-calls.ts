import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { LatestCalls } from '../../../../libs/redis-scripts';
import { unavailable } from '../../../platform/http';
import { CALLS_LOST } from '../channel/finding.repository';

/** The channel is called for a payout, or reads it, for the `no`-th time. */
export interface RecordedCall {
  readonly channelId: string;
  readonly id: string;
  readonly no: number;
  readonly createdAt: Date;
  /** The moment of the call, by the clock of Postgres. */
  readonly at: Date;
}

/** More than payouts can be lost. */
const IDS_LEFT_OUT = 1_000_000;

/** Another payout may have been given the id of one that was lost. */
const IS_KNOWN = `exists (
  select from payout
   where id = (call->>'id')::bigint and channel_id = (call->>'channelId')::bigint and calls >= (call->>'no')::int
     and date_trunc('milliseconds', created_at) = (call->>'createdAt')::timestamptz)`;

/**
 * Redis remembers the last calls. A Postgres that lacks one of them has lost commits: it would pay
 * again, under other ids and perhaps through another channel, what a channel has paid.
 */
@Injectable()
export class LostCalls {
  constructor(
    private readonly latest: LatestCalls,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * Comes after the commit, and before the call. One of the calls that were recorded together is enough,
   * because they can only be lost together.
   * @returns false if Postgres has lost it already, so that nobody may be called
   */
  async note({ channelId, id, no, createdAt, at }: RecordedCall): Promise<boolean> {
    const call = JSON.stringify({ channelId, id, no, createdAt, at });
    await this.latest.note(channelId, call).catch(refuse);
    const [row] = await this.dataSource.query<{ isKnown: boolean }[]>(
      `select ${IS_KNOWN} as "isKnown" from cast($1 as jsonb) as call`,
      [call],
    );
    return row!.isKnown;
  }

  /**
   * Turns what is lost into a finding, which holds all channels. Returns true until someone has ended it.
   * @param channelId has the finding if Postgres has lost the channel as well
   */
  async find(tx: EntityManager, channelId: string): Promise<boolean> {
    const calls = await this.latest.all().catch(refuse);
    const [lost] = await tx.query<{ newest: string | null; found: number }[]>(
      `with lost as materialized (
         select call, coalesce(channel.id, $2) as channel_id
           from unnest($1::jsonb[]) as call left join payout_channel as channel on channel.id = (call->>'channelId')::bigint
          where not ${IS_KNOWN}
            and not exists (select from payout_finding
                             where kind = '${CALLS_LOST}' and ended_at is not null and detail->'calls' @> jsonb_build_array(call))
       ), found as (
         insert into payout_finding (channel_id, kind, line, detail)
         select channel_id, '${CALLS_LOST}', md5(calls::text),
                jsonb_build_object('calls', calls, 'lastCallAt',
                  (select max(told->>'at') from unnest($1::jsonb[]) as told where told->>'channelId' = channel_id::text))
           from (select channel_id, jsonb_agg(call order by call) as calls from lost group by channel_id) as by_channel
         on conflict do nothing returning id
       )
       select max((call->>'id')::bigint) as newest, (select count(*)::int from found) as found from lost`,
      [calls, channelId],
    );
    if (lost!.found > 0) await this.leaveOutIds(tx, lost!.newest!);
    return lost!.newest !== null;
  }

  /**
   * Lets the channel continue. Until the loss was found, payouts were given ids that the channel may know
   * from others, so they are sent under another number, and a channel that reads what waits does not get them
   * any more. Payouts from before its last call are left alone: it may know them.
   */
  async end(tx: EntityManager, findingId: string): Promise<void> {
    await tx.query(
      `update payout set attempt = attempt + 1
         from payout_finding as finding, jsonb_array_elements(detail->'calls') as call
        where finding.id = $1 and payout.channel_id = finding.channel_id and payout.ended_at is null
          and first_sent_at is null and payout.id < (call->>'id')::bigint + ${IDS_LEFT_OUT}
          and date_trunc('milliseconds', created_at) > (detail->>'lastCallAt')::timestamptz`,
      [findingId],
    );
  }

  private async leaveOutIds(tx: EntityManager, newest: string): Promise<void> {
    await tx.query(
      `select setval(name, greatest(nextval(name), $1::bigint) + ${IDS_LEFT_OUT})
         from cast(pg_get_serial_sequence('payout', 'id') as regclass) as name`,
      [newest],
    );
  }
}

function refuse(cause: unknown): never {
  throw unavailable('Which payouts were sent to channels could not be read from Redis; try again.', {
    retryAfterSeconds: 1,
    cause,
  });
}
