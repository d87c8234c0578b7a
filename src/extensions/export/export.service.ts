import { Injectable } from '@nestjs/common';
import { type Caller, LongAnswers } from '../../platform/http';
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

export interface WantedExport {
  readonly kind: ExportKind;
  readonly activityId: string;
  readonly format: ExportFormat;
  readonly caller: Caller;
}

/** Writes as fast as its reader reads, until the text ends or the signal aborts it. */
export type Writer = (text: AsyncIterable<string>, signal: AbortSignal) => Promise<void>;

/** Decides what may be exported. */
@Injectable()
export class ExportService {
  private readonly rows;
  private readonly count;
  private running = 0;

  constructor(
    private readonly activities: ActivityRepository,
    private readonly pages: ExportPages,
    private readonly currencies: Currencies,
    private readonly answers: LongAnswers,
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

  private withRoom(caller: Caller, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.answers.run(caller, async (signal) => {
      this.count.set((this.running += 1));
      await work(signal).finally(() => this.count.set((this.running -= 1)));
    });
  }

  /**
   * Fails if the activity was archived in the meantime: rows are missing then, and the reader must
   * not take the file for complete.
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

/** While an activity is active, the amounts that are left would reveal when to tap. */
function requireEnd({ id, status }: Activity): void {
  if (status === 'active') throw activityNotEnded(`Activity ${id} has not ended; export its claims instead.`);
}
