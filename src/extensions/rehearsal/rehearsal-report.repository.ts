import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Queries } from '../../platform/postgres';
import type { Breakage, RehearsalReportBody } from './rehearsal-report.dto';

export interface ReportRow extends Omit<RehearsalReportBody, 'brokeFirst'> {
  readonly id: string;
  readonly activityId: string;
  readonly reportedBy: string;
  readonly reportedAt: Date;
  readonly brokeFirst: Breakage | null;
}

interface FirstPart {
  readonly split: object;
  readonly totalMinor: string;
  readonly packetCount: number;
}

const REPORT = `
  id, activity_id as "activityId", reported_by as "reportedBy", reported_at as "reportedAt", taps, seconds,
  taps_per_second as "tapsPerSecond", answers, p50_ms as "p50Ms", p99_ms as "p99Ms", broke_first as "brokeFirst"`;

@Injectable()
export class RehearsalReportRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The split, amount and packets that an activity was created with, without top-ups. */
  async firstPart(activityId: string, db: Queries = this.dataSource): Promise<FirstPart> {
    const [part] = await db.query<FirstPart[]>(
      `select activity.split, total_minor - added.minor as "totalMinor", (packet_count - added.packets)::int as "packetCount"
         from activity,
              (select coalesce(sum(amount_minor), 0)::bigint as minor, coalesce(sum(packet_count), 0)::int as packets
                 from top_up where activity_id = $1) as added
        where activity.id = $1`,
      [activityId],
    );
    return part!;
  }

  async insert(
    tx: EntityManager,
    activityId: string,
    termsHash: Buffer,
    reportedBy: string,
    { taps, seconds, tapsPerSecond, answers, p50Ms, p99Ms, brokeFirst }: RehearsalReportBody,
  ): Promise<ReportRow> {
    const [row] = await tx.query<ReportRow[]>(
      `insert into rehearsal_report
         (activity_id, terms_hash, reported_by, taps, seconds, taps_per_second, answers, p50_ms, p99_ms, broke_first)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${REPORT}`,
      [
        ...[activityId, termsHash, reportedBy, taps, seconds, tapsPerSecond],
        ...[JSON.stringify(answers), p50Ms, p99Ms, brokeFirst ?? null],
      ],
    );
    return row!;
  }

  async newest(termsHash: Buffer): Promise<ReportRow | undefined> {
    const [row] = await this.dataSource.query<ReportRow[]>(
      `select ${REPORT} from rehearsal_report where terms_hash = $1 order by rehearsal_report.id desc limit 1`,
      [termsHash],
    );
    return row;
  }
}
