import { Injectable } from '@nestjs/common';
import { Currency } from '../../platform/config';
import { type Caller, decodeCursor, type Page, type PageQuery, toPage } from '../../platform/http';
import { ActivityRepository } from '../activity';
import { type ClaimRow, ClaimRepository } from './claim.repository';
import type { GrabbedPacketDto, GrabsQuery, WonPacketDto } from './grab.dto';
import { claimNotFound } from './grab.error';
import { redPacketId } from '../../../libs/red-packet-id';

@Injectable()
export class WonPacketsService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly claims: ClaimRepository,
    private readonly currency: Currency,
  ) {}

  async ofUserInActivity(activityId: string, userId: string): Promise<WonPacketDto> {
    const claim = await this.claims.findClaim(activityId, userId);
    if (!claim) throw claimNotFound(`You hold no packet of activity ${activityId}.`);
    return this.wonPacket(claim);
  }

  async ofUser(userId: string, { limit, cursor }: PageQuery): Promise<Page<WonPacketDto>> {
    const claims = await this.claims.listOfUser(userId, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(claims, limit, (claim) => claim.id);
    return { items: items.map((claim) => this.wonPacket(claim)), nextCursor };
  }

  /** @throws activityNotFound also for those who are neither its sponsor nor staff: they cannot tell the difference */
  async ofActivity(
    activityId: string,
    { limit, cursor, userId }: GrabsQuery,
    caller: Caller,
  ): Promise<Page<GrabbedPacketDto>> {
    await this.activities.managedBy(caller, activityId);
    const after = Number(decodeCursor(cursor, isPacketNo) ?? 0);
    const claims = await this.claims.listOfActivity(activityId, after, limit + 1, userId);
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
