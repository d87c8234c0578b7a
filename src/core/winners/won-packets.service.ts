import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { type Caller, decodeCursor, type Page, toPage } from '../../platform/http';
import { ActivityRepository, rowsArchived } from '../activity';
import { type HistoryPage, pageOf, pageStartOf } from '../wallet';
import type { GrabbedPacketDto, GrabsQuery, MyPacketsQuery, WonPacketDto } from './winners.dto';
import { claimNotFound, noSuchClaim } from './winners.error';
import { type ClaimRow, WonPacketRepository } from './won-packet.repository';
import { packetOf, redPacketId } from '../../../libs/red-packet-id';

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
    { limit, cursor, ...filter }: GrabsQuery,
    caller: Caller,
  ): Promise<Page<GrabbedPacketDto>> {
    if ((await this.activities.managedBy(caller, activityId)).isArchived) throw rowsArchived(activityId);
    const after = Number(decodeCursor(cursor, isPacketNo) ?? 0);
    const claims =
      (await this.findOne(activityId, filter)) ??
      (await this.wonPackets.listOfActivity(activityId, after, limit + 1));
    const { items, nextCursor } = toPage(claims, limit, (claim) => String(claim.packetNo));
    return { items: items.map((claim) => this.grabbedPacket(claim)), nextCursor };
  }

  /** @throws noSuchClaim */
  async ofClaim(claimId: string): Promise<GrabbedPacketDto> {
    const claim = await this.wonPackets.findById(claimId);
    if (!claim) throw noSuchClaim(`There is no claim ${claimId}, or it was archived.`);
    return this.grabbedPacket(claim);
  }

  /** Returns one packet or none if the filter names a user or a packet, and undefined if it names neither. */
  private async findOne(
    activityId: string,
    { userId, redPacketId }: Pick<GrabsQuery, 'userId' | 'redPacketId'>,
  ): Promise<ClaimRow[] | undefined> {
    if (userId === undefined && redPacketId === undefined) return undefined;
    const packet = redPacketId === undefined ? undefined : packetOf(redPacketId);
    if (packet && packet.activityId !== activityId) return [];
    const claim = packet
      ? await this.wonPackets.findPacket(activityId, packet.no)
      : await this.wonPackets.findClaim(activityId, userId!);
    return claim && (userId ?? claim.userId) === claim.userId ? [claim] : [];
  }

  private grabbedPacket(claim: ClaimRow): GrabbedPacketDto {
    return { userId: claim.userId, claimId: claim.id, ...this.wonPacket(claim) };
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
