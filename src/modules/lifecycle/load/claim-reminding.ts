import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Reservations, Standings } from '../../../../libs/redis-scripts';
import { type Activity, ActivityRepository } from '../../activity';
import { ActivityTidying } from '../tidy/activity-tidying';
import { ActivityLoader } from './activity-loader';

/** Tells Redis what it may have forgotten of one activity: its claims, and packets that were added. Safe at any time. */
@Injectable()
export class ClaimReminding {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly activities: ActivityRepository,
    private readonly reservations: Reservations,
    private readonly standings: Standings,
    private readonly loader: ActivityLoader,
    private readonly tidying: ActivityTidying,
  ) {}

  async remind({ id, status }: Activity): Promise<void> {
    if (status !== 'active') return this.tidyUp(id);
    await this.acknowledgeClaims(id);
    await this.loader.extend(id);
  }

  private async tidyUp(id: string): Promise<void> {
    if (!(await this.tidying.tidyUp(id))) throw new Error('Somebody else is tidying it up.');
  }

  /** A reservation that is still undecided is left alone. */
  private async acknowledgeClaims(id: string): Promise<void> {
    if ((await this.standings.of(id)).status === 'newer') return;
    const shard = this.reservations.keys.shardOf(id);
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.activities.claims(tx, id))
        await this.reservations.acknowledge(shard, claims, []);
    });
  }
}
