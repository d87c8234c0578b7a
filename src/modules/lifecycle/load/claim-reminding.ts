import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { shareOf } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../../activity';
import { Journal } from '../../grab';
import { ActivityTidying } from '../tidy/activity-tidying';
import { ActivityLoader } from './activity-loader';
import { ClaimTelling } from './claim-telling';

/**
 * Tells Redis what a part of an activity may have forgotten: its claims, which of its users have claims elsewhere, and packets
 * that were added. Safe at any time.
 */
@Injectable()
export class ClaimReminding {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly claims: ClaimTelling,
    private readonly journal: Journal,
    private readonly loader: ActivityLoader,
    private readonly tidying: ActivityTidying,
  ) {}

  async remind(activity: Activity, part = 0): Promise<void> {
    if (activity.status !== 'active') return this.tidyUp(activity.id);
    if (activity.parts > 1) await this.decideAll(activity);
    await this.tellClaims(activity, part);
    await this.loader.extend(activity.id);
  }

  /** What users have drawn elsewhere is known here when it is in Postgres. */
  private async decideAll({ id, parts }: Activity): Promise<void> {
    for (let part = 0; part < parts; part++) await this.journal.drain(id, part);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Somebody else is tidying it up.');
  }

  /** A reservation that is still undecided is left alone. */
  private async tellClaims({ id, parts }: Activity, part: number): Promise<void> {
    if (await this.claims.isNewer(id, part)) return;
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.activities.claims(tx, id, parts))
        await this.claims.tell(id, part, shareOf(claims, part, parts));
    });
  }
}
