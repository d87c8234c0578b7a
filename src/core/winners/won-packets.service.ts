import { Injectable } from '@nestjs/common';
import { ActivityRepository, rowsArchived } from '../activity';
import { Currencies } from '../currency';
import { type HistoryPage, pageOf, pageStartOf } from '../wallet';
import { MarkedPackets } from './packet-marks';
import type { GrabbedPacketDto, MyPacketsQuery, WonPacketDto } from './winners.dto';
import { claimNotFound, noSuchClaim } from './winners.error';
import { WonPacketRepository } from './won-packet.repository';
import { WonPacketViews } from './won-packet-views';

@Injectable()
export class WonPacketsService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly wonPackets: WonPacketRepository,
    private readonly views: WonPacketViews,
    private readonly currencies: Currencies,
    private readonly marked: MarkedPackets,
  ) {}

  async ofUserInActivity(activityId: string, userId: string): Promise<WonPacketDto> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return (await this.views.won([claim]))[0]!;
    if ((await this.activities.findActivity(activityId))?.isArchived) throw rowsArchived(activityId);
    throw claimNotFound(`You hold no packet of activity ${activityId}.`);
  }

  async ofUser(
    userId: string,
    { limit, cursor, activityId, currency: code }: MyPacketsQuery,
  ): Promise<HistoryPage<WonPacketDto>> {
    if (activityId !== undefined) return this.onlyOf(activityId, userId);
    const currency = await this.currencies.named({ currency: code });
    const { paid, unpaid } = await this.wonPackets.listOfUser(
      userId,
      currency.code,
      pageStartOf(cursor),
      limit + 1,
    );
    const { items, ...rest } = pageOf(paid, unpaid, limit);
    const totals = cursor === undefined ? await this.marked.totalsOf(userId) : {};
    return { items: await this.views.won(items), ...rest, ...totals };
  }

  private async onlyOf(activityId: string, userId: string): Promise<HistoryPage<WonPacketDto>> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return { items: await this.views.won([claim]), nextCursor: null, archived: false };
    const archived = await this.activities.isKnownToBeArchived(activityId);
    return { items: [], nextCursor: null, archived };
  }

  /** @throws noSuchClaim */
  async ofClaim(claimId: string): Promise<GrabbedPacketDto> {
    const claim = await this.wonPackets.findById(claimId);
    if (!claim) throw noSuchClaim(`There is no claim ${claimId}, or it was archived.`);
    return this.views.grabbed(claim);
  }
}
