import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { type Caller, decodeCursor, type Page, toPage } from '../../platform/http';
import { ActivityRepository, rowsArchived } from '../activity';
import { type HistoryPage, pageOf, pageStartOf } from '../wallet';
import type { GrabbedPacketDto, GrabsQuery, MyPacketsQuery, WonPacketDto } from './winners.dto';
import { claimNotFound } from './winners.error';
import { type ClaimRow, WonPacketRepository } from './won-packet.repository';
import { redPacketId } from '../../../libs/red-packet-id';

@Injectable()
export class WonPacketsService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly wonPackets: WonPacketRepository,
    private readonly currency: Currency,
  ) {}

  async ofUserInActivity(activityId: string, userId: string): Promise<WonPacketDto> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return this.wonPacket(claim);
    if ((await this.activities.findActivity(activityId))?.isArchived) throw rowsArchived(activityId);
    throw claimNotFound(`You hold no packet of activity ${activityId}.`);
  }

  async ofUser(
    userId: string,
    { limit, cursor, activityId }: MyPacketsQuery,
  ): Promise<HistoryPage<WonPacketDto>> {
    if (activityId !== undefined) return this.onlyOf(activityId, userId);
    const { paid, unpaid } = await this.wonPackets.listOfUser(userId, pageStartOf(cursor), limit + 1);
    const { items, ...rest } = pageOf(paid, unpaid, limit);
    return { items: items.map((claim) => this.wonPacket(claim)), ...rest };
  }

  private async onlyOf(activityId: string, userId: string): Promise<HistoryPage<WonPacketDto>> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return { items: [this.wonPacket(claim)], nextCursor: null, archived: false };
    const activity = await this.activities.findActivity(activityId);
    return { items: [], nextCursor: null, archived: activity?.isArchived ?? false };
  }

  /** @throws activityNotFound, as for callers who are neither its sponsor nor staff */
  async ofActivity(
    activityId: string,
    { limit, cursor, userId }: GrabsQuery,
    caller: Caller,
  ): Promise<Page<GrabbedPacketDto>> {
    if ((await this.activities.managedBy(caller, activityId)).isArchived) throw rowsArchived(activityId);
    const after = Number(decodeCursor(cursor, isPacketNo) ?? 0);
    const claims =
      userId === undefined
        ? await this.wonPackets.listOfActivity(activityId, after, limit + 1)
        : [await this.wonPackets.findClaim(activityId, userId)].filter((claim) => claim !== undefined);
    const { items, nextCursor } = toPage(claims, limit, (claim) => String(claim.packetNo));
    return { items: items.map((claim) => ({ userId: claim.userId, ...this.wonPacket(claim) })), nextCursor };
  }

  private wonPacket(claim: ClaimRow): WonPacketDto {
    return {
      activityId: claim.activityId,
      redPacketId: redPacketId(claim.activityId, claim.packetNo),
      amount: this.currency.format(claim.amountMinor),
      currency: this.currency.code,
      settlement: claim.settlement,
      confirmedAt: claim.confirmedAt.toISOString(),
      creditedAt: claim.creditedAt?.toISOString() ?? null,
    };
  }
}

const isPacketNo = (value: string): boolean => /^[1-9]\d{0,6}$/.test(value);
