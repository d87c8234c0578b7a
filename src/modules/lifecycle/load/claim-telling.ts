import { Injectable } from '@nestjs/common';
import { type PartShare, RainLoading, Reservations, Standings } from '../../../../libs/redis-scripts';

/** Writes what Postgres knows into a part that users draw from meanwhile. */
@Injectable()
export class ClaimTelling {
  constructor(
    private readonly reservations: Reservations,
    private readonly loading: RainLoading,
    private readonly standings: Standings,
  ) {}

  /** Only the version that has loaded it may touch it. */
  async isNewer(id: string, part: number): Promise<boolean> {
    return (await this.standings.of(id, part)).status === 'newer';
  }

  async tell(id: string, part: number, { own, away }: PartShare): Promise<void> {
    const shard = this.reservations.keys.shardOf(id, part);
    if (own.length > 0) await this.reservations.acknowledge(shard, own, []);
    if (away.length > 0) await this.loading.loadShare(id, { own: [], away }, part);
  }
}
