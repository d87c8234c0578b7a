import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { must } from '../../../libs/problem';
import { Servers } from '../../../libs/redis-scripts';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  invalidField,
  type Page,
  type PageQuery,
  toPage,
} from '../../platform/http';
import { knowsTimeZone } from '../../platform/postgres';
import { sponsorOf } from '../../core/activity';
import { AuditLog, type Deed } from '../../core/audit';
import { ActivityCreation } from '../../core/lifecycle';
import { bodyOf, nextOf, Occurrences, whyMissed } from './occurrences';
import { type Occurrence, Recurrence, type Timing } from './recurrence';
import type { DecidedOccurrence, Series, SeriesStatus, SeriesTerms } from './series';
import type {
  OccurrenceDto,
  PreviewedOccurrenceDto,
  SeriesBody,
  SeriesDto,
  SeriesPreviewBody,
  SeriesPreviewDto,
  SeriesQuery,
} from './series.dto';
import { noSuchSeries, seriesEnded, tooManySeries } from './series.error';
import { SeriesRepository } from './series.repository';

const SERIES_PER_SPONSOR_MAX = 20;
const AHEAD_HOURS_DEFAULT = 24;
const START_WITHIN_DAYS = 366;
const DAY_MS = 86_400_000;
const ENDS_TOO_LATE = `must end the first occurrence within ${START_WITHIN_DAYS} days from now`;
const PREVIEWED = 10;

@Injectable()
export class SeriesService {
  constructor(
    private readonly rows: SeriesRepository,
    private readonly occurrences: Occurrences,
    private readonly creation: ActivityCreation,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly servers: Servers,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws Problem `request.invalid` naming a field, tooManySeries, what a creation refuses for its terms */
  create(request: IdempotentRequest, body: SeriesBody): Promise<SeriesDto> {
    const { caller } = request;
    return this.idempotency.once(request, async (tx) => {
      const terms = termsOf(caller, body);
      const now = await clockOf(tx);
      const next = await this.requireTerms(tx, caller, terms, now);
      if ((await this.rows.lockCount(tx, terms.sponsorId)) >= SERIES_PER_SPONSOR_MAX)
        throw tooManySeries(`This sponsor has ${SERIES_PER_SPONSOR_MAX} series; end one first.`);
      const series = await this.rows.insert(tx, terms, caller, this.occurrences.pointerTo(next, terms));
      await this.audit.record(tx, caller, { action: 'series.create', id: series.id, after: factsOf(series) });
      return viewOf(series);
    });
  }

  /**
   * Replaces the terms of occurrences that are not created yet.
   * @throws seriesNotFound, seriesEnded, Problem `request.invalid` naming a field
   */
  replace(caller: Caller, id: string, body: SeriesBody): Promise<SeriesDto> {
    return this.dataSource.transaction((tx) =>
      this.change(tx, caller, id, { action: 'series.change' }, async (series) => {
        const terms = termsOf(caller, body);
        if (terms.sponsorId !== series.sponsorId)
          throw invalidField('sponsorId', must.beOneOf([series.sponsorId], `must stay ${series.sponsorId}`));
        const next = await this.requireTerms(
          tx,
          caller,
          terms,
          series.readAt,
          await this.taken(tx, series, terms),
        );
        const pointer = this.occurrences.pointerTo(next, terms);
        await this.rows.replace(tx, id, terms, caller, pointer);
      }),
    );
  }

  /** @throws Problem `request.invalid` naming a field */
  async preview(timing: SeriesPreviewBody): Promise<SeriesPreviewDto> {
    const { manager } = this.dataSource;
    const now = await clockOf(manager);
    const { recurrence } = await this.requireTiming(manager, timing, now);
    const found = recurrence.some(now, PREVIEWED + 1);
    return { occurrences: found.slice(0, PREVIEWED).map(windowOf), hasMore: found.length > PREVIEWED };
  }

  /** @throws seriesNotFound, seriesEnded */
  pause(request: IdempotentRequest, id: string): Promise<SeriesDto> {
    return this.setStatus(request, id, { action: 'series.pause' }, 'paused');
  }

  /** @throws seriesNotFound, seriesEnded */
  resume(request: IdempotentRequest, id: string): Promise<SeriesDto> {
    return this.setStatus(request, id, { action: 'series.resume' }, 'active');
  }

  /** @throws seriesNotFound, seriesEnded */
  end(request: IdempotentRequest, id: string): Promise<SeriesDto> {
    return this.setStatus(request, id, { action: 'series.end' }, 'ended');
  }

  async list({ limit, cursor, ...filter }: SeriesQuery): Promise<Page<SeriesDto>> {
    const rows = await this.rows.list(filter, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map(viewOf), nextCursor };
  }

  /** @throws seriesNotFound */
  async read(id: string): Promise<SeriesDto> {
    const series = await this.rows.findSeries(id);
    if (!series) throw noSuchSeries(id);
    return viewOf(series);
  }

  /** @throws seriesNotFound */
  async listOccurrences(id: string, { limit, cursor }: PageQuery): Promise<Page<OccurrenceDto>> {
    if (!(await this.rows.findSeries(id))) throw noSuchSeries(id);
    const rows = await this.rows.occurrences(id, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, ({ no }) => String(no));
    return { items: items.map(occurrenceView), nextCursor };
  }

  private setStatus(
    request: IdempotentRequest,
    id: string,
    deed: Pick<Deed, 'action'>,
    status: SeriesStatus,
  ): Promise<SeriesDto> {
    return this.idempotency.once(request, (tx) =>
      this.change(tx, request.caller, id, deed, (series) => {
        const next = status === 'ended' ? undefined : nextOf(series);
        return this.rows.setStatus(tx, id, status, this.occurrences.pointerTo(next, series));
      }),
    );
  }

  /** First decides the occurrences that were to open by now, so that no change makes one disappear. */
  private async change(
    tx: EntityManager,
    caller: Caller,
    id: string,
    { action }: Pick<Deed, 'action'>,
    work: (series: Series) => Promise<void>,
  ): Promise<SeriesDto> {
    // While Redis is down, one clock has to do.
    const redisSeconds = await this.servers.earliestSeconds().catch(() => Infinity);
    const locked = await this.rows.lock(tx, id, redisSeconds);
    if (!locked) throw noSuchSeries(id);
    const series = await this.missOpened(tx, await this.occurrences.undecided(tx, locked));
    if (series.nextOpensAt === null) throw seriesEnded(`Series ${id} has no further occurrence.`);
    await work(series);
    const changed = (await this.rows.findSeries(id, tx))!;
    const [before, after] = differenceOf(factsOf(series), factsOf(changed));
    if (Object.keys(after).length > 0) await this.audit.record(tx, caller, { action, id, before, after });
    return viewOf(changed);
  }

  private async missOpened(tx: EntityManager, locked: Series): Promise<Series> {
    let series = locked;
    while (series.nextOpensAt !== null && series.nextOpensAt <= series.readAt)
      series = await this.occurrences.miss(tx, series, whyMissed(series));
    return series;
  }

  /**
   * Returns until when occurrences are decided, and new terms have none. Under another rule that is the whole day of the
   * last activity that was created ahead: moved to 20:30, it would come a second time on days that had it at 20:00.
   */
  private async taken(tx: EntityManager, series: Series, terms: SeriesTerms): Promise<Date> {
    const isSameRule = (['rrule', 'timeZone', 'start'] as const).every(
      (name) => terms[name] === series[name],
    );
    const createdUntil = isSameRule ? null : await this.rows.createdUntil(tx, series);
    return new Date(Math.max(Number(series.decidedUntil), Number(createdUntil)));
  }

  /** @returns the first occurrence to come, for which everything is checked that a creation checks before money */
  private async requireTerms(
    tx: EntityManager,
    caller: Caller,
    terms: SeriesTerms,
    now: Date,
    taken?: Date,
  ): Promise<Occurrence> {
    const { next } = await this.requireTiming(tx, terms, now, taken);
    await this.creation.plan(tx, caller, await this.creation.complete(tx, caller, bodyOf(terms, next)));
    return next;
  }

  private async requireTiming(
    tx: EntityManager,
    timing: Timing,
    now: Date,
    taken: Date = now,
  ): Promise<{ readonly recurrence: Recurrence; readonly next: Occurrence }> {
    if (!(await knowsTimeZone(tx, timing.timeZone))) throw invalidField('timeZone', must.beA('time-zone'));
    const recurrence = Recurrence.checked(timing);
    const next = recurrence.after(taken > now ? taken : now);
    if (!next)
      throw invalidField(
        'start',
        must.beLaterThan('now', 'must leave an occurrence that is still to be created'),
      );
    const latest = now.getTime() + START_WITHIN_DAYS * DAY_MS;
    if (next.opensAt.getTime() > latest) throw invalidField('start', must.beWithin(START_WITHIN_DAYS, 'now'));
    if (next.closesAt.getTime() > latest)
      throw invalidField('durationSeconds', must.beWithin(START_WITHIN_DAYS, 'now', ENDS_TOO_LATE));
    return { recurrence, next };
  }
}

async function clockOf(tx: EntityManager): Promise<Date> {
  const [row] = await tx.query<{ now: Date }[]>('select clock_timestamp() as now');
  return row!.now;
}

function termsOf(caller: Caller, body: SeriesBody): SeriesTerms {
  const {
    rrule,
    timeZone,
    start,
    durationSeconds,
    count,
    until,
    createAheadHours,
    sponsorId: _,
    ...rain
  } = body;
  const timing = { rrule, timeZone, start, durationSeconds, count, until };
  const sponsorId = sponsorOf(caller, body);
  return { ...timing, sponsorId, rain, createAheadHours: createAheadHours ?? AHEAD_HOURS_DEFAULT };
}

const WHEN = ['rrule', 'timeZone', 'start', 'durationSeconds', 'createAheadHours', 'count', 'until'] as const;

const pick = <From extends object, Name extends keyof From>(
  from: From,
  names: readonly Name[],
): Pick<From, Name> => Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<From, Name>;

type Facts = Readonly<Record<string, unknown>>;

/** What the audit log keeps of a series: when, how much and for whom, and nothing that lets anyone in. */
const factsOf = (series: Series): Facts => ({
  ...pick(series, ['status', 'sponsorId']),
  ...pick(series.rain, ['name', 'totalAmount', 'currency', 'packetCount']),
  ...pick(series, WHEN),
});

function differenceOf(before: Facts, after: Facts): [Facts, Facts] {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  return [pick(before, names), pick(after, names)];
}

function viewOf(series: Series): SeriesDto {
  const { rain, actor, createdAt, refusal, createAheadHours } = series;
  const next = nextOf(series);
  return {
    ...rain,
    ...pick(series, ['id', 'status', 'sponsorId', 'decided', ...WHEN]),
    writtenBy: actor.userId,
    next: next && {
      ...windowOf(next),
      createsAt: new Date(next.opensAt.getTime() - createAheadHours * 3_600_000).toISOString(),
      refusal: refusal ?? undefined,
    },
    createdAt: createdAt.toISOString(),
  };
}

const windowOf = ({ opensAt, closesAt }: Occurrence): PreviewedOccurrenceDto => ({
  opensAt: opensAt.toISOString(),
  closesAt: closesAt.toISOString(),
});

const occurrenceView = (occurrence: DecidedOccurrence): OccurrenceDto => ({
  no: occurrence.no,
  ...windowOf(occurrence),
  status: occurrence.activityId === null ? 'missed' : 'created',
  activityId: occurrence.activityId ?? undefined,
  missed: occurrence.refusal ?? undefined,
  decidedAt: occurrence.decidedAt.toISOString(),
});
