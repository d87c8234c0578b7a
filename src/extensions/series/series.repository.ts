import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { presentByBoth, type Queries } from '../../platform/postgres';
import type { DecidedOccurrence, Refusal, Series, SeriesStatus, SeriesTerms } from './series';

/** When the next occurrence opens, and when the sweep has to look at the series. */
export interface Pointer {
  readonly nextOpensAt: Date | null;
  readonly lookAt: Date | null;
}

export interface NewOccurrence extends Omit<DecidedOccurrence, 'decidedAt'> {
  readonly seriesId: string;
}

type Row = Omit<Series, 'actor' | 'refusal' | 'count' | 'until'> & {
  readonly actorId: string;
  readonly actorRole: Series['actor']['role'];
  readonly count: number | null;
  readonly until: Date | null;
  readonly reason: Refusal['reason'] | null;
  readonly detail: string | null;
};

/** A missed occurrence stays missed, so both clocks have to agree that it is. */
const believed = (redisSeconds: string): string => presentByBoth(redisSeconds, 'clock_timestamp()');

const columns = (readAt = 'clock_timestamp()') => `
  id, sponsor_id as "sponsorId", terms as rain, rrule, time_zone as "timeZone", start,
  duration_seconds as "durationSeconds", create_ahead_hours as "createAheadHours", count, until, status,
  actor_id as "actorId", actor_role as "actorRole", decided, next_opens_at as "nextOpensAt", refusal as reason,
  (select max(opens_at) from series_occurrence where series_id = series.id) as "decidedUntil",
  refusal_detail as detail, created_at as "createdAt", ${readAt} as "readAt"`;

@Injectable()
export class SeriesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Counts the series of a sponsor that have not ended. No other transaction can add one before this one ends. */
  async lockCount(tx: EntityManager, sponsorId: string): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('series of ' || $1, 0))`, [sponsorId]);
    const [row] = await tx.query<{ count: number }[]>(
      `select count(*)::integer as count from series where sponsor_id = $1 and status <> 'ended'`,
      [sponsorId],
    );
    return row!.count;
  }

  async insert(
    tx: EntityManager,
    terms: SeriesTerms,
    { userId, role }: Series['actor'],
    { nextOpensAt, lookAt }: Pointer,
  ): Promise<Series> {
    const [row] = await tx.query<Row[]>(
      `insert into series (sponsor_id, terms, rrule, time_zone, start, duration_seconds, create_ahead_hours, count,
                           until, actor_id, actor_role, next_opens_at, look_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ${columns()}`,
      [...columnsOf(terms), userId, role, nextOpensAt, lookAt],
    );
    return seriesOf(row!);
  }

  async replace(
    tx: EntityManager,
    id: string,
    terms: SeriesTerms,
    { userId, role }: Series['actor'],
    { nextOpensAt, lookAt }: Pointer,
  ): Promise<void> {
    await tx.query(
      `update series set sponsor_id = $1, terms = $2, rrule = $3, time_zone = $4, start = $5, duration_seconds = $6,
                         create_ahead_hours = $7, count = $8, until = $9, actor_id = $10, actor_role = $11,
                         next_opens_at = $12, look_at = $13, refusal = null, refusal_detail = null
        where id = $14`,
      [...columnsOf(terms), userId, role, nextOpensAt, lookAt, id],
    );
  }

  async setStatus(tx: EntityManager, id: string, status: SeriesStatus, pointer: Pointer): Promise<void> {
    await tx.query(
      `update series set status = $2, next_opens_at = $3, look_at = $4, refusal = null, refusal_detail = null
        where id = $1`,
      [id, status, pointer.nextOpensAt, pointer.lookAt],
    );
  }

  async findSeries(id: string, db: Queries = this.dataSource): Promise<Series | undefined> {
    const [row] = await db.query<Row[]>(`select ${columns()} from series where id = $1`, [id]);
    return row && seriesOf(row);
  }

  async lock(tx: EntityManager, id: string, redisSeconds: number): Promise<Series | undefined> {
    const [row] = await tx.query<Row[]>(
      `select ${columns(believed('$2'))} from series where id = $1 for update`,
      [id, redisSeconds],
    );
    return row && seriesOf(row);
  }

  /** Locks a series that the sweep has to look at, unless another process has it. */
  async lockDue(tx: EntityManager, id: string, redisSeconds: number): Promise<Series | undefined> {
    const now = believed('$2');
    const [row] = await tx.query<Row[]>(
      `select ${columns(now)} from series where id = $1 and look_at <= ${now} for update skip locked`,
      [id, redisSeconds],
    );
    return row && seriesOf(row);
  }

  /** The series that the sweep has to look at, the longest due first. */
  async due(redisSeconds: number, limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from series where look_at <= ${believed('$1')} order by look_at, id limit $2`,
      [redisSeconds, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the end of the last local day on which activities that the series has created are still to open. */
  async createdUntil(
    tx: EntityManager,
    { id, timeZone, readAt }: Pick<Series, 'id' | 'timeZone' | 'readAt'>,
  ): Promise<Date | null> {
    const [row] = await tx.query<{ until: Date | null }[]>(
      `select (date_trunc('day', max(opens_at) at time zone $2) + interval '1 day - 1 ms') at time zone $2 as until
         from series_occurrence
        where series_id = $1 and activity_id is not null and opens_at > $3`,
      [id, timeZone, readAt],
    );
    return row!.until;
  }

  async pointTo(tx: EntityManager, id: string, { nextOpensAt, lookAt }: Pointer): Promise<void> {
    await tx.query(
      `update series set next_opens_at = $2, look_at = $3, refusal = null, refusal_detail = null,
                         status = case when $2::timestamptz is null then 'ended' else status end
        where id = $1`,
      [id, nextOpensAt, lookAt],
    );
  }

  /** Postpones a look that is due, whatever is wrong with the series. */
  async postpone(id: string, byMs: number): Promise<void> {
    await this.dataSource.query(
      `update series set look_at = clock_timestamp() + $2 * interval '1 ms'
        where id = $1 and look_at <= clock_timestamp()`,
      [id, byMs],
    );
  }

  /** The age of the oldest look that is due, or of the oldest end of an occurrence that is not decided; 0 without one. */
  async overdueSeconds(): Promise<number> {
    const [row] = await this.dataSource.query<{ seconds: number }[]>(
      `select coalesce(greatest(0, extract(epoch from clock_timestamp()
                - min(least(look_at, next_opens_at + duration_seconds * interval '1 second')))), 0)::float8 as seconds
         from series where status <> 'ended'`,
    );
    return row!.seconds;
  }

  async lookAgain(tx: EntityManager, id: string, lookAt: Date, refusal: Refusal | null): Promise<void> {
    await tx.query(`update series set look_at = $2, refusal = $3, refusal_detail = $4 where id = $1`, [
      ...[id, lookAt, refusal?.reason, refusal?.detail],
    ]);
  }

  /** Records the outcome of an occurrence, which no later transaction can do again. */
  async decide(tx: EntityManager, occurrence: NewOccurrence, pointer: Pointer): Promise<void> {
    const { seriesId, no, opensAt, closesAt, activityId, refusal } = occurrence;
    await tx.query(
      `insert into series_occurrence (series_id, no, opens_at, closes_at, activity_id, reason, detail)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [seriesId, no, opensAt, closesAt, activityId, refusal?.reason, refusal?.detail],
    );
    await tx.query(`update series set decided = $2 where id = $1`, [seriesId, no]);
    await this.pointTo(tx, seriesId, pointer);
  }

  /** Newest first. */
  async list(
    filter: {
      readonly sponsorId?: string;
      readonly writtenBy?: string;
      readonly status?: SeriesStatus;
      readonly activityId?: string;
    },
    beforeId: string | undefined,
    limit: number,
  ): Promise<Series[]> {
    const rows = await this.dataSource.query<Row[]>(
      `select ${columns()} from series
        where ($1::text is null or sponsor_id = $1) and ($2::text is null or status = $2)
          and ($3::bigint is null or id < $3)
          and ($5::bigint is null or id = (select series_id from series_occurrence where activity_id = $5))
          and ($6::text is null or actor_id = $6)
        order by id desc limit $4`,
      [filter.sponsorId, filter.status, beforeId, limit, filter.activityId, filter.writtenBy],
    );
    return rows.map(seriesOf);
  }

  /** Newest first. */
  async occurrences(id: string, beforeNo: string | undefined, limit: number): Promise<DecidedOccurrence[]> {
    const rows = await this.dataSource.query<
      (Omit<DecidedOccurrence, 'refusal'> & { reason: Refusal['reason'] | null; detail: string })[]
    >(
      `select no, opens_at as "opensAt", closes_at as "closesAt", activity_id as "activityId", reason, detail,
              decided_at as "decidedAt"
         from series_occurrence
        where series_id = $1 and ($2::bigint is null or no < $2)
        order by no desc limit $3`,
      [id, beforeNo, limit],
    );
    return rows.map(({ reason, detail, ...row }) => ({ ...row, refusal: reason && { reason, detail } }));
  }
}

const columnsOf = (terms: SeriesTerms): unknown[] => [
  ...[
    terms.sponsorId,
    JSON.stringify(terms.rain),
    terms.rrule,
    terms.timeZone,
    terms.start,
    terms.durationSeconds,
  ],
  // Postgres takes no offset beyond 15:59, and RFC 3339 does.
  ...[terms.createAheadHours, terms.count ?? null, terms.until === undefined ? null : new Date(terms.until)],
];

const seriesOf = ({ actorId, actorRole, count, until, reason, detail, ...row }: Row): Series => ({
  ...row,
  actor: { userId: actorId, role: actorRole },
  count: count ?? undefined,
  until: until?.toISOString(),
  refusal: reason && { reason, detail: detail! },
});
