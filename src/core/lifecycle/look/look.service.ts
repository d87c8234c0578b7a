import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../../platform/http';
import {
  type Activity,
  type ActivityDto,
  ActivityRepository,
  ActivityViews,
  type Logo,
  logoOf,
  type Theme,
} from '../../activity';
import { AuditLog } from '../../audit';
import { DailyDeeds } from '../daily-deeds';
import type { ChangeLookBody } from './look.dto';
import { type Look, LookRepository } from './look.repository';

/** Changes the look of an activity's page. Neither its money nor its commitment depends on that. */
@Injectable()
export class LookService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly looks: LookRepository,
    private readonly views: ActivityViews,
    private readonly audit: AuditLog,
    private readonly dailyDeeds: DailyDeeds,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws activityNotFound, as for callers who are neither its sponsor nor staff; rateLimited */
  async change(actor: Caller, id: string, body: ChangeLookBody): Promise<ActivityDto> {
    const activity = await this.dataSource.transaction((tx) => this.perform(tx, actor, id, body));
    return this.views.one(activity);
  }

  private async perform(
    tx: EntityManager,
    actor: Caller,
    id: string,
    { theme, logo }: ChangeLookBody,
  ): Promise<Activity> {
    const activity = await this.activities.managedBy(actor, id, tx);
    const before = await this.looks.lock(tx, id);
    const after = {
      theme: theme === undefined ? before.theme : theme && plain(theme),
      logo: logo === undefined ? before.logo : bytesOf(logo),
    };
    const change = { before: factsOf(before), after: factsOf(after) };
    if (isDeepStrictEqual(change.before, change.after)) return activity;
    await this.dailyDeeds.requireRoom(tx, actor, 'activity.look');
    await this.looks.update(tx, id, after);
    await this.audit.record(tx, actor, { action: 'activity.look', id, ...change });
    return (await this.activities.findActivity(id, tx))!;
  }
}

const bytesOf = (logo: string | null): Buffer | null => (logo === null ? null : (logoOf(logo) as Logo).bytes);

/** The theme as the database returns it. */
const plain = (theme: Theme): Theme => JSON.parse(JSON.stringify(theme)) as Theme;

/** The look as the audit log stores it, with a digest in place of the image. */
const factsOf = ({ theme, logo }: Look) => ({
  theme,
  logo: logo && createHash('sha256').update(logo).digest('hex'),
});
