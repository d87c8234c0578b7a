import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Dealt, PacketPage, Place, PlacedClaim } from '../../../../libs/redis-scripts';
import { pagesOf, type Queries } from '../../../platform/postgres';
import {
  BIRTH,
  dealtOver,
  FORMAT,
  formatOf,
  type FormatRow,
  PACED,
  type PacedRow,
  pacedOf,
} from '../../activity';

/** Items of one Redis command: Lua cannot take many more arguments at once. */
const ITEMS_PER_PAGE = 2_000;

/**
 * A page that looks for the packets of one part may be larger, but added packets may all be in that
 * part.
 */
const PAGES_AT_ONCE_MAX = 2;

/** The count of numbers from `first` to `last` that lie in a part. */
const countOfPart = (first: string, last: string): string =>
  `(${last} - part + activity.parts) / activity.parts - (${first} - 1 - part + activity.parts) / activity.parts`;

/** Keeps other additions to an activity waiting until the transaction ends; `$1` is its id. */
export const ADDITION_LOCK = `hashtextextended('top-up:' || $1, 0)`;

export interface ActiveActivity extends Dealt {
  readonly packetCount: number;
  readonly birth: string;
  readonly format: number;
  readonly closesAtMs: number;
}

/** The activities that Redis should hold, and all data that it receives about them. */
@Injectable()
export class LoadingRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Keeps additions, and nothing else, away until the transaction ends. False if one is under way. */
  async keepAdditionsAway(tx: EntityManager, id: string): Promise<boolean> {
    const [row] = await tx.query<{ locked: boolean }[]>(
      `select pg_try_advisory_xact_lock_shared(${ADDITION_LOCK}) as locked`,
      [id],
    );
    return row!.locked;
  }

  async decideEnd(id: string): Promise<void> {
    await this.dataSource.query(
      `update activity set ending = 'closed', ending_at = clock_timestamp()
        where id = $1 and status = 'active' and ending is null`,
      [id],
    );
  }

  /** Returns active activities without a decided end, in the order of their ids. */
  async active(afterId: string, limit: number): Promise<ActiveActivity[]> {
    const rows = await this.dataSource.query<(ActiveActivity & FormatRow)[]>(
      `select id, packet_count as "packetCount", parts, ${BIRTH} as birth, ${FORMAT},
              floor(extract(epoch from closes_at) * 1000)::float8 as "closesAtMs"
         from activity
        where status = 'active' and ending is null and id > $1 order by id limit $2`,
      [afterId, limit],
    );
    return rows.map((row) => ({ ...row, format: formatOf(row) }));
  }

  async allActive(): Promise<Dealt[]> {
    return this.dataSource.query(`select id, parts from activity where status = 'active' order by id`);
  }

  async allEndedInRedis(): Promise<Dealt[]> {
    return this.dataSource.query(
      `select id, parts from activity where status <> 'active' and forgotten_at is null order by closed_at desc`,
    );
  }

  /**
   * Yields packets without a claim, in order. Postgres writes the pages as Redis reads them: a
   * million packets as objects would cost seconds, and a hundred megabytes of garbage. The last
   * page reaches up to packet_count, even if all of its packets are claimed.
   *
   * Plans are of the same snapshot: a packet that came without its plan would be released at once.
   *
   * If the activity is dealt over several parts, only packets of that place are yielded, in larger pages.
   */
  async *unclaimedPackets(
    tx: EntityManager,
    { id, part }: Place,
    parts: number,
    afterNo: number,
    pageSize = ITEMS_PER_PAGE,
  ): AsyncGenerator<PacketPage> {
    const isOfPart = parts > 1 ? `and no % ${dealtOver('no')} = ${part}` : '';
    const slices = pagesOf<Omit<PacketPage, 'paced'> & { readonly paced: readonly PacedRow[] | null }>(
      tx,
      `select least(start + $3, packet_count) as "lastNo", coalesce(page.text, '') as text, ${PACED} as paced
         from activity
        cross join generate_series($2::integer, packet_count - 1, $3::integer) as start
        cross join lateral (
          select string_agg(no || ':' || amount_minor, ' ' order by no) as text
            from packet
           where activity_id = $1 and no > start and no <= start + $3 ${isOfPart}
             and not exists (select from claim
                              where claim.activity_id = $1 and claim.packet_no = packet.no
                                and claim.packet_no > start and claim.packet_no <= start + $3)
        ) as page
        where activity.id = $1
        order by start`,
      [id, afterNo, pageSize * Math.min(parts, PAGES_AT_ONCE_MAX)],
      1,
    );
    for await (const pages of slices)
      for (const { paced, ...page } of pages) yield { ...page, paced: pacedOf(paced) };
  }

  async *claims(tx: EntityManager, { id, parts }: Dealt): AsyncGenerator<PlacedClaim[]> {
    const pages = pagesOf<{ no: number; user_id: string; amount: string; part?: number }>(
      tx,
      parts === 1
        ? `select packet_no as no, user_id, amount_minor as amount from claim where activity_id = $1`
        : `select packet_no as no, user_id, amount_minor as amount, packet_no % ${dealtOver('packet_no')} as part
             from claim join activity on activity.id = activity_id where activity_id = $1`,
      [id],
      ITEMS_PER_PAGE,
    );
    for await (const rows of pages) {
      yield rows.map(({ no, user_id, amount, part }) => ({
        activityId: id,
        userId: user_id,
        packet: { no, amountMinor: BigInt(amount) },
        part: part ?? 0,
      }));
    }
  }

  /** The number of packets of each part. */
  async partSizes(activityId: string, db: Queries = this.dataSource): Promise<number[]> {
    const rows = await db.query<{ size: number }[]>(
      `select (${countOfPart('1', 'packet_count')} + coalesce(other, 0))::integer as size
         from activity
        cross join generate_series(0, activity.parts - 1) as part
         left join lateral (
           select sum(case part when 0 then top_up.packet_count else 0 end
                      - (${countOfPart('first_no', 'first_no + top_up.packet_count - 1')})) as other
             from top_up where activity_id = activity.id and top_up.parts = 1
         ) as elsewhere on true
        where activity.id = $1
        order by part`,
      [activityId],
    );
    return rows.map(({ size }) => size);
  }
}
