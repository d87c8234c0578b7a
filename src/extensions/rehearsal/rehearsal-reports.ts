import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { IdempotencyService, type IdempotentRequest } from '../../platform/http';
import { type Activity, ActivityRepository } from '../../core/activity';
import { AuditLog } from '../../core/audit';
import { Currencies } from '../../core/currency';
import { nobodyLetIn, notARehearsal } from './rehearsal.error';
import type { RehearsalReportBody, RehearsalReportDto } from './rehearsal-report.dto';
import { RehearsalReportRepository, type ReportRow } from './rehearsal-report.repository';
import { termsHash } from './rehearsed-terms';

/** Stores how rehearsals went, for those who are about to open the real activity. */
@Injectable()
export class RehearsalReports {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly reports: RehearsalReportRepository,
    private readonly currencies: Currencies,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
  ) {}

  /** @throws activityNotFound, notARehearsal, nobodyLetIn */
  report(
    request: IdempotentRequest,
    activityId: string,
    body: RehearsalReportBody,
  ): Promise<RehearsalReportDto> {
    const { caller } = request;
    return this.idempotency.once(request, async (tx) => {
      const activity = await this.activities.managedBy(caller, activityId, tx);
      if (!(await this.currencies.of(activity.currency)).isPlay)
        throw notARehearsal(`Activity ${activityId} gives ${activity.currency}.`);
      requireCrowd(body);
      const hash = await this.hashOf(activity, tx);
      const row = await this.reports.insert(tx, activityId, hash, caller.userId, body);
      const { taps, tapsPerSecond, p99Ms, brokeFirst } = body;
      await this.audit.record(tx, caller, {
        action: 'activity.report-rehearsal',
        id: activityId,
        detail: { taps, tapsPerSecond, p99Ms, brokeFirst },
      });
      return viewOf(row);
    });
  }

  /** The newest report about these very terms. */
  async newestOf(activity: Activity): Promise<ReportRow | undefined> {
    return this.reports.newest(await this.hashOf(activity));
  }

  private async hashOf(activity: Activity, tx?: EntityManager): Promise<Buffer> {
    const { split, totalMinor, packetCount } = await this.reports.firstPart(activity.id, tx);
    const totalAmount = (await this.currencies.of(activity.currency)).format(BigInt(totalMinor));
    return termsHash({ ...activity, split, totalAmount, packetCount }, this.currencies.default.digits);
  }
}

/** A crowd of which half was refused has not rehearsed these terms. @throws nobodyLetIn */
function requireCrowd({ taps, answers: { refused } }: RehearsalReportBody): void {
  if (refused > 0 && 2 * refused >= taps)
    throw nobodyLetIn(
      `${refused} of ${taps} taps were refused: are the tokens signed as this API expects, and is the activity for this crowd?`,
    );
}

const viewOf = ({ reportedAt, brokeFirst, ...row }: ReportRow): RehearsalReportDto => ({
  ...row,
  brokeFirst: brokeFirst ?? undefined,
  reportedAt: reportedAt.toISOString(),
});
