import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type Place,
  type PlacedClaim,
  RainLoading,
  Reservations,
  sentFrom,
  Standings,
} from '../../../../libs/redis-scripts';
import type { Activity } from '../../activity';
import { Journal } from '../../grab';
import { LoadingRepository } from '../record/loading.repository';

/** Writes the claims that Postgres has into a place of their activity, which may be open. Safe at any time. */
@Injectable()
export class WrittenClaims {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly toLoad: LoadingRepository,
    private readonly reservations: Reservations,
    private readonly loading: RainLoading,
    private readonly standings: Standings,
    private readonly journal: Journal,
  ) {}

  /** Leaves alone an undecided reservation, and an activity that a newer version has loaded. */
  async writeClaims(activity: Activity, place: Place): Promise<void> {
    if (activity.parts > 1) await this.decideAll(activity);
    if ((await this.standings.readStanding(place)).status === 'newer') return;
    await this.dataSource.transaction(async (tx) => {
      for await (const claims of this.toLoad.claims(tx, activity))
        await this.writePage(activity, place, claims);
    });
  }

  /** Only packets that are in Postgres can be written to the other places. */
  private async decideAll(activity: Activity): Promise<void> {
    for (const place of this.standings.keys.placesOf(activity)) await this.journal.drain(place);
  }

  /**
   * Writes claims while users draw from the place. The way of a winner may have led from any home through
   * this place, which has forgotten it: each home learns where its users' packets are.
   */
  private async writePage(
    activity: Activity,
    { part, shard }: Place,
    claims: readonly PlacedClaim[],
  ): Promise<void> {
    const own = claims.filter((claim) => claim.part === part);
    if (own.length > 0) await this.reservations.acknowledge(shard, own, []);
    const sent = sentFrom(claims, activity.parts);
    for (const home of this.standings.keys.placesOf(activity))
      await this.loading.loadShare(home, { own: [], elsewhere: sent[home.part]! });
  }
}
