import { Injectable } from '@nestjs/common';
import { type Caller, decodeCursor, type Page, toPage } from '../../platform/http';
import { ActivityRepository, rowsArchived } from '../activity';
import { Currencies } from '../currency';
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
    private readonly currencies: Currencies,
  ) {}

  async ofUserInActivity(activityId: string, userId: string): Promise<WonPacketDto> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return this.wonPacket(claim);
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
    return { items: await Promise.all(items.map((claim) => this.wonPacket(claim))), ...rest };
  }

  private async onlyOf(activityId: string, userId: string): Promise<HistoryPage<WonPacketDto>> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    if (claim) return { items: [await this.wonPacket(claim)], nextCursor: null, archived: false };
    const archived = await this.activities.isKnownToBeArchived(activityId);
    return { items: [], nextCursor: null, archived };
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
    return { items: await Promise.all(items.map((claim) => this.grabbedPacket(claim))), nextCursor };
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

  private async grabbedPacket(claim: ClaimRow): Promise<GrabbedPacketDto> {
    return { userId: claim.userId, claimId: claim.id, ...(await this.wonPacket(claim)) };
  }

  private async wonPacket(claim: ClaimRow): Promise<WonPacketDto> {
    const currency = await this.currencies.ofActivity(claim.activityId);
    return {
      activityId: claim.activityId,
      redPacketId: redPacketId(claim.activityId, claim.packetNo),
      amount: currency.format(claim.amountMinor),
      currency: currency.code,
      settlement: claim.settlement,
      confirmedAt: claim.confirmedAt.toISOString(),
      creditedAt: claim.creditedAt?.toISOString() ?? null,
    };
  }
}

const isPacketNo = (value: string): boolean => /^[1-9]\d{0,6}$/.test(value);
