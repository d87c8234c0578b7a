import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { paceOf, type PaceTerms } from '../../../libs/pace';
import type { Dealt, PacedBatch } from '../../../libs/redis-scripts';
import type { Caller } from '../../platform/http';
import type { Queries } from '../../platform/postgres';
import { PLAY_MONEY } from '../currency';
import { type Activity, type ActivityFacts, mayManage } from './activity';
import { formatOf, PUBLIC, TERMS } from './activity-terms';
import { noSuchActivity } from './activity.error';

/** The birth is derived from the seed, which is random and secret. */
export const BIRTH = `left(encode(sha256(convert_to(activity.seed, 'UTF8')), 'hex'), 16)`;

/** The batches of `activity` that a plan releases, or null. `packet_batch_paced` finds them. */
export const PACED = `
  (select json_agg(json_build_object('firstNo', first_no, 'parts', coalesce(top_up.parts, activity.parts),
                                     'count', (terms::json->>'count')::integer, 'pace', terms::json->'pace')
                   order by first_no)
     from packet_batch left join top_up using (activity_id, first_no)
    where packet_batch.activity_id = activity.id and terms like '%"pace":%')`;

export type PacedRow = Omit<PacedBatch, 'pace'> & { readonly count: number; readonly pace: PaceTerms };

/** "Settled": the escrow holds only money of claims that were resolved without a payment. */
const ACTIVITY = `
  select activity.id, ${TERMS}, activity.format, sponsor_account_id as "sponsorAccountId",
         total_minor as "totalMinor",
         packet_count as "packetCount", activity.created_at as "createdAt", ${BIRTH} as birth, closed_at as "closedAt", activity.status, ending,
         theme, logo is not null as "hasLogo", case when audience <> '${PUBLIC}' then logo end as "hiddenLogo",
         archived_at is not null as "isArchived",
         activity.status <> 'active' and escrow.balance_minor = (
           select coalesce(sum(amount_minor), 0) from dead_letter where activity_id = activity.id and status = 'resolved'
         ) as settled,
         now() as "readAt",
         ${PACED} as paced
    from activity
    join account escrow on escrow.id = escrow_account_id`;

const ADMISSION = `
  select id, currency, admission, audience, sponsor_id as "sponsorId", limits is not null as "hasLimits", format
    from activity`;

type ActivityRow = Omit<Activity, 'paced'> & { readonly paced: readonly PacedRow[] | null };

/** The facts of an activity that are known before it is tapped. */
export interface AdmissionRow {
  readonly id: string;
  readonly currency: string;
  /** May come from a newer program, or from one with other extensions. */
  readonly admission: string;
  /** May come from such a program as well. */
  readonly audience: string;
  readonly sponsorId: string;
  readonly hasLimits: boolean;
  readonly format: number;
}

export interface ActivitySender {
  readonly name: string;
  readonly sponsorId: string;
  /** The name of the giver on the page of the rain. */
  readonly sender: string | null;
}

export interface PartOf {
  readonly part: number;
  readonly parts: number;
}

/**
 * The number of parts over which a packet of `activity` was dealt. Packets that were added may all
 * be in part 0, which is `no % 1`.
 */
export const dealtOver = (no: string): string =>
  `coalesce((select top_up.parts from top_up
              where top_up.activity_id = activity.id and top_up.first_no <= ${no}
              order by top_up.first_no desc limit 1), activity.parts)`;

export interface ActivityFilter {
  /** Lists public activities and those that this user sponsors; all of them if left out. */
  readonly viewerId?: string;
  readonly sponsorId?: string;
  readonly isActive?: boolean;
  readonly ids?: readonly string[];
  /** Includes activities in play money. */
  readonly withPlayMoney?: boolean;
}

/** How many names are searched for one page. */
export const NAMES_LOOKED_AT_MAX = 2_000;

export interface Named {
  readonly ids: readonly string[];
  /** The last activity that was searched. Null if none is older. */
  readonly lookedTo: string | null;
}

const FILTER = `
        where ($1::bigint is null or activity.id < $1)
          and ($3::text is null or sponsor_id = $3)
          and ($4::boolean is null or (activity.status = 'active') = $4)
          and ($5::boolean or activity.currency <> '${PLAY_MONEY}')`;

/**
 * The ids of the activities that the viewer `$7` may see in a list. Each half has its own index, so that no page
 * walks through everything that is hidden.
 */
const LISTED = `
  (select id from activity ${FILTER} and audience = '${PUBLIC}' order by id desc limit $2)
  union
  (select id from activity ${FILTER} and sponsor_id = $7 order by id desc limit $2)`;

/** Reads the facts of an activity. The module `lifecycle` writes the changes. */
@Injectable()
export class ActivityRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async findActivity(id: string, db: Queries = this.dataSource): Promise<Activity | undefined> {
    const [row] = await db.query<ActivityRow[]>(`${ACTIVITY} where activity.id = $1`, [id]);
    return row && activityOf(row);
  }

  /** @throws activityNotFound, even for callers who merely may not manage it */
  async managedBy(caller: Caller, id: string, db?: Queries): Promise<Activity> {
    const activity = await this.findActivity(id, db);
    if (!activity || !mayManage(caller, activity)) throw noSuchActivity(id);
    return activity;
  }

  /** Returns activities, newest first. `isActive`: neither closed nor cancelled. */
  async list(
    { viewerId, sponsorId, isActive, ids, withPlayMoney = false }: ActivityFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<Activity[]> {
    const listed = viewerId === undefined ? '' : `and activity.id = any(array(${LISTED}))`;
    const rows = await this.dataSource.query<ActivityRow[]>(
      `${ACTIVITY} ${FILTER} and ($6::bigint[] is null or activity.id = any($6)) ${listed}
        order by activity.id desc limit $2`,
      [
        beforeId,
        limit,
        sponsorId,
        isActive,
        withPlayMoney,
        ids,
        ...(viewerId === undefined ? [] : [viewerId]),
      ],
    );
    return rows.map(activityOf);
  }

  /**
   * Finds activities whose name contains a text, newest first. No index helps with that, so few are
   * searched, however rare the text is.
   */
  async named(
    name: string,
    { viewerId, sponsorId, isActive, withPlayMoney = false }: ActivityFilter,
    beforeId: string | undefined,
    limit: number,
  ): Promise<Named> {
    const looked = LISTED.replaceAll('$2', String(NAMES_LOOKED_AT_MAX));
    const listed = viewerId === undefined ? '' : `and id = any(array(${looked}))`;
    const [found] = await this.dataSource.query<Named[]>(
      `with looked_at as materialized (
         select id, name from activity ${FILTER} ${listed} order by id desc limit ${NAMES_LOOKED_AT_MAX}
       )
       select array(
                select id from looked_at where strpos(lower(name), lower($6)) > 0 order by id desc limit $2
              )::text[] as ids,
              case count(*) when ${NAMES_LOOKED_AT_MAX} then min(id) end as "lookedTo"
         from looked_at`,
      [
        beforeId,
        limit,
        sponsorId,
        isActive,
        withPlayMoney,
        name,
        ...(viewerId === undefined ? [] : [viewerId]),
      ],
    );
    return found!;
  }

  /** Returns the logos of the public activities that have one, by activity id. */
  async logos(ids: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = await this.dataSource.query<{ id: string; logo: Buffer }[]>(
      `select id, logo from activity where id = any($1::bigint[]) and audience = '${PUBLIC}' and logo is not null`,
      [ids],
    );
    return new Map(rows.map(({ id, logo }) => [id, logo]));
  }

  /** Milliseconds until the window ends, by the clock of Postgres; 0 for an activity that has ended. */
  async windowRemainingMs(activityId: string, db: Queries): Promise<number> {
    const [row] = await db.query<{ remainingMs: number }[]>(
      `select 1000 * extract(epoch from closes_at - clock_timestamp())::float8 as "remainingMs"
         from activity where id = $1 and status = 'active'`,
      [activityId],
    );
    return row?.remainingMs ?? 0;
  }

  /** True if everyone may know of the activity, and its packets and claims were archived. */
  async isKnownToBeArchived(activityId: string): Promise<boolean> {
    const found = await this.dataSource.query<unknown[]>(
      `select from activity where id = $1 and audience = '${PUBLIC}' and archived_at is not null`,
      [activityId],
    );
    return found.length > 0;
  }

  async facts(activityId: string): Promise<ActivityFacts | undefined> {
    const [row] = await this.dataSource.query<ActivityFacts[]>(
      `select status, packet_count as "packetCount" from activity where id = $1`,
      [activityId],
    );
    return row;
  }

  /** Returns the facts that every holder of a packet of these activities sees, by activity id. */
  async sendersOf(ids: readonly string[]): Promise<Map<string, ActivitySender>> {
    const rows = await this.dataSource.query<(ActivitySender & { id: string })[]>(
      `select id, name, sponsor_id as "sponsorId", theme ->> 'sender' as sender
         from activity where id = any($1::bigint[])`,
      [ids],
    );
    return new Map(rows.map(({ id, ...sender }) => [id, sender]));
  }

  admissionsOf(ids: readonly string[], db: Queries): Promise<AdmissionRow[]> {
    return db.query<AdmissionRow[]>(`${ADMISSION} where id = any($1::bigint[])`, [ids]);
  }

  newestAdmissions(limit: number): Promise<AdmissionRow[]> {
    return this.dataSource.query<AdmissionRow[]>(`${ADMISSION} order by activity.id desc limit $1`, [limit]);
  }

  async dealt(ids: readonly string[], db: Queries = this.dataSource): Promise<Dealt[]> {
    return db.query<Dealt[]>(`select id, parts from activity where id = any($1::bigint[])`, [ids]);
  }
}

const activityOf = ({ paced, ...row }: ActivityRow): Activity => ({
  ...row,
  totalMinor: BigInt(row.totalMinor),
  paced: pacedOf(paced),
  format: formatOf(row),
});

export const pacedOf = (rows: readonly PacedRow[] | null): PacedBatch[] =>
  (rows ?? []).map(({ pace, count, ...batch }) => ({ ...batch, pace: paceOf(pace, count) }));
