import { Injectable } from '@nestjs/common';
import { redPacketId } from '../../../libs/red-packet-id';
import { ActivityRepository } from '../activity';
import { Currencies } from '../currency';
import { MarkedPackets } from './packet-marks';
import type { GrabbedPacketDto, PacketDto, WonPacketDto } from './winners.dto';
import type { ClaimRow } from './won-packet.repository';

/** Views of claims for clients. */
@Injectable()
export class WonPacketViews {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly currencies: Currencies,
    private readonly marked: MarkedPackets,
  ) {}

  /** As their winners see them. */
  async won(claims: readonly ClaimRow[]): Promise<WonPacketDto[]> {
    const [senders, marks, packets] = await Promise.all([
      this.activities.sendersOf(claims.map(({ activityId }) => activityId)),
      this.marked.marksOf(claims),
      Promise.all(claims.map((claim) => this.packet(claim))),
    ]);
    return packets.map((packet, i) => {
      const { name: activityName, sponsorId, sender } = senders.get(packet.activityId)!;
      return { ...packet, activityName, sponsorId, ...(sender !== null && { sender }), ...marks[i] };
    });
  }

  /** As staff and sponsors see them. */
  async grabbed(claim: ClaimRow): Promise<GrabbedPacketDto> {
    return { userId: claim.userId, claimId: claim.id, ...(await this.packet(claim)) };
  }

  async packet(claim: ClaimRow): Promise<PacketDto> {
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
