import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { busy, type Caller, unavailable } from '../../platform/http';
import { Metrics } from '../../platform/telemetry';
import {
  type Activity,
  activityNotEnded,
  ActivityRepository,
  noSuchActivity,
  rowsArchived,
} from '../../core/activity';
import { Currencies } from '../../core/currency';
import { nothingToExport } from './export.error';
import { type ExportFormat, type Row, textOf } from './export-format';
import { COLUMNS, EXPORT_KINDS, type ExportKind } from './export-lines';
import { ExportPages } from './export-pages';

/**
 * An export costs this process two pages of memory and, while its reader is fast, one connection to
 * Postgres, of ten by default; confirmations of grabs need them too.
 */
const EXPORTS_AT_ONCE_MAX = 4;
const EXPORTS_PER_CALLER_MAX = 2;
const EXPORT_LASTS_MAX_MS = 3_600_000;

export interface WantedExport {
  readonly kind: ExportKind;
  readonly activityId: string;
  readonly format: ExportFormat;
  readonly caller: Caller;
}

/** Writes as fast as its reader reads, until the text ends or the signal aborts it. */
export type Writer = (text: AsyncIterable<string>, signal: AbortSignal) => Promise<void>;

interface Running {
  readonly userId: string;
  readonly ending: AbortController;
}

/** Bounds what may be exported, how many exports run at once, and for how long. */
@Injectable()
export class ExportService implements OnModuleInit {
  private readonly running = new Set<Running>();
  private readonly rows;
  private readonly count;
  private leaving = false;

  constructor(
    private readonly activities: ActivityRepository,
    private readonly pages: ExportPages,
    private readonly currencies: Currencies,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
    metrics: Metrics,
  ) {
    this.rows = metrics.counters({
      name: 'hongbao_export_rows_total',
      help: 'Rows that were read for exports',
      label: 'kind',
      values: EXPORT_KINDS,
    });
    this.count = metrics.gauge({
      name: 'hongbao_exports_running',
      help: 'Exports that this process is writing',
    });
  }

  /** At its close the server waits for answers: a slow reader would outlast its time limit. */
  onModuleInit(): void {
    this.adapterHost.httpAdapter.getInstance().addHook('preClose', (done) => {
      this.leaving = true;
      for (const { ending } of this.running) ending.abort();
      done();
    });
  }

  /** @throws activityNotFound, nothingToExport, activityArchived, activityNotEnded, busy, unavailable */
  async run({ kind, activityId, format, caller }: WantedExport, write: Writer): Promise<void> {
    const activity = await this.activities.findActivity(activityId);
    if (activity === undefined) throw noSuchActivity(activityId);
    if ((await this.currencies.of(activity.currency)).isPlay)
      throw nothingToExport(
        `Activity ${activityId} was a rehearsal: nobody owes or has earned its ${activity.currency}.`,
      );
    if (kind === 'results') requireEnd(activity);
    if (activity.isArchived) throw rowsArchived(activityId);
    const pages = this.counted(kind, this.whole(kind, activity));
    await this.withRoom(caller, (signal) => write(textOf(pages, COLUMNS[kind], format), signal));
  }

  private async withRoom({ userId }: Caller, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.requireRoom(userId);
    const running = { userId, ending: new AbortController() };
    const timer = setTimeout(() => running.ending.abort(), EXPORT_LASTS_MAX_MS);
    this.count.set(this.running.add(running).size);
    try {
      await work(running.ending.signal);
    } finally {
      clearTimeout(timer);
      this.running.delete(running);
      this.count.set(this.running.size);
    }
  }

  private requireRoom(userId: string): void {
    if (this.leaving) throw unavailable('This server is stopping.', { retryAfterSeconds: 1 });
    const own = [...this.running].filter((one) => one.userId === userId).length;
    if (own >= EXPORTS_PER_CALLER_MAX || this.running.size >= EXPORTS_AT_ONCE_MAX)
      throw busy('Other exports are being read; try again when they are done.', { retryAfterSeconds: 5 });
  }

  /**
   * Fails when the activity was archived meanwhile: rows are missing then, and the reader must not
   * take the file for complete.
   */
  private async *whole(kind: ExportKind, activity: Activity): AsyncGenerator<Row[]> {
    yield* this.pages.readPages(kind, activity);
    if ((await this.activities.findActivity(activity.id))?.isArchived) throw rowsArchived(activity.id);
  }

  private async *counted(kind: ExportKind, pages: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
    for await (const page of pages) {
      this.rows[kind].inc(page.length);
      yield page;
    }
  }
}

/** While an activity is active, the amounts that are left would show when to tap. */
function requireEnd({ id, status }: Activity): void {
  if (status === 'active') throw activityNotEnded(`Activity ${id} has not ended; export its claims instead.`);
}
