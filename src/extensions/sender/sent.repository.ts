import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PLAY_MONEY } from '../../core/currency';
import { ACTIVITIES_ADDED_MAX, PACKETS_COUNTED_MAX } from './sent.dto';

export interface SentFigures {
  readonly activityId: string;
  /** Without packets that replaced void ones: their money was sent before. */
  readonly sentMinor: bigint;
  readonly packetCount: number;
  readonly returnedMinor: bigint;
  readonly thanks: number;
}

type FiguresRow = Omit<SentFigures, 'sentMinor' | 'returnedMinor'> &
  Record<'sentMinor' | 'returnedMinor', string>;

export interface Won {
  readonly packets: number;
  readonly amountMinor: bigint;
}

export interface SentTotal {
  readonly currency: string;
  readonly activities: number;
  readonly amountMinor: bigint;
  readonly returnedMinor: bigint;
  readonly isComplete: boolean;
}

/** The money of void packets comes back at once, unless it goes into others; all else comes back at the end. */
const RETURNED = `
  (select coalesce(sum(amount_minor), 0)
     from (select amount_minor from transfer
            where kind = 'refund' and source_id = sent.id and activity_id = sent.id
           union all
           select transfer.amount_minor
             from dead_letter join transfer on transfer.kind = 'void' and source_id = claim_id
                                           and transfer.activity_id = sent.id
            where dead_letter.activity_id = sent.id and dead_letter.status = 'void'
              and not exists (select from top_up where replaces_claim_id = claim_id)) as came_back)`;

/** What void packets have left to the packets that replace them. */
const REPLACED = `
  cross join lateral (select coalesce(sum(amount_minor), 0) as minor, count(*)::integer as packets
                        from top_up where activity_id = sent.id and replaces_claim_id is not null) as replaced`;

/** The outcomes of a sponsor's activities. */
@Injectable()
export class SentRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async figures(ids: readonly string[]): Promise<Map<string, SentFigures>> {
    const rows = await this.dataSource.query<FiguresRow[]>(
      `select sent.id as "activityId", total_minor - replaced.minor as "sentMinor",
              packet_count - replaced.packets as "packetCount", ${RETURNED} as "returnedMinor",
              (select count(*)::integer
                 from (select from thanks where activity_id = sent.id limit ${PACKETS_COUNTED_MAX}) as said) as thanks
         from activity as sent ${REPLACED}
        where sent.id = any($1::bigint[])`,
      [ids],
    );
    return new Map(
      rows.map(({ sentMinor, returnedMinor, ...row }) => [
        row.activityId,
        { ...row, sentMinor: BigInt(sentMinor), returnedMinor: BigInt(returnedMinor) },
      ]),
    );
  }

  /** Leaves out activities in which nobody has won anything. */
  async won(ids: readonly string[]): Promise<Map<string, Won>> {
    const rows = await this.dataSource.query<{ activityId: string; packets: number; amountMinor: string }[]>(
      `select claim.activity_id as "activityId", count(*)::integer as packets, sum(claim.amount_minor) as "amountMinor"
         from claim
        where claim.activity_id = any($1::bigint[])
          and not exists (select from dead_letter where claim_id = claim.id and status = 'void')
        group by 1`,
      [ids],
    );
    return new Map(
      rows.map(({ activityId, packets, amountMinor }) => [
        activityId,
        { packets, amountMinor: BigInt(amountMinor) },
      ]),
    );
  }

  /** The sums of the newest activities of a sponsor, without rehearsals. */
  async totals(sponsorId: string): Promise<SentTotal[]> {
    const rows = await this.dataSource.query<
      (Omit<SentTotal, 'amountMinor' | 'returnedMinor'> & Record<'amountMinor' | 'returnedMinor', string>)[]
    >(
      `with sent as materialized (
         select id, currency, total_minor, row_number() over (order by id desc) as place
           from (select id, currency, total_minor from activity
                  where sponsor_id = $1 and currency <> '${PLAY_MONEY}'
                  order by id desc limit ${ACTIVITIES_ADDED_MAX + 1}) as newest
       )
       select currency, count(*)::integer as activities, sum(total_minor - replaced.minor) as "amountMinor",
              sum(${RETURNED}) as "returnedMinor",
              (select count(*) from sent) <= ${ACTIVITIES_ADDED_MAX} as "isComplete"
         from sent ${REPLACED}
        where place <= ${ACTIVITIES_ADDED_MAX}
        group by currency
        order by currency`,
      [sponsorId],
    );
    return rows.map((row) => ({
      ...row,
      amountMinor: BigInt(row.amountMinor),
      returnedMinor: BigInt(row.returnedMinor),
    }));
  }
}
