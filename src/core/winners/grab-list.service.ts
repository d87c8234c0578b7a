import { Injectable } from '@nestjs/common';
import { packetOf } from '../../../libs/red-packet-id';
import { type Caller, decodeCursor, type Page, toPage } from '../../platform/http';
import {
  type Activity,
  ActivityRepository,
  mayManage,
  noSuchActivity,
  PUBLIC,
  rowsArchived,
} from '../activity';
import { masked } from './best-luck';
import { LargestPackets } from './largest-packets';
import { MarkedPackets } from './packet-marks';
import type { ListedGrabDto, GrabsQuery } from './winners.dto';
import { type ClaimRow, WonPacketRepository } from './won-packet.repository';
import { WonPacketViews } from './won-packet-views';

/** The winners of an activity and their packets. */
@Injectable()
export class GrabListService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly wonPackets: WonPacketRepository,
    private readonly views: WonPacketViews,
    private readonly largest: LargestPackets,
    private readonly marked: MarkedPackets,
  ) {}

  /** @throws activityNotFound, also for callers who are neither its sponsor nor staff and hold no packet of it */
  async ofActivity(activityId: string, query: GrabsQuery, caller: Caller): Promise<Page<ListedGrabDto>> {
    const activity = await this.activities.findActivity(activityId);
    const manages = activity !== undefined && mayManage(caller, activity);
    if (!activity || !(manages || (await this.isWinner(activityId, caller))))
      throw noSuchActivity(activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    const { items: claims, nextCursor } = await this.pageOf(activity, query, manages ? undefined : caller);
    const best = claims.length === 0 ? null : await this.largest.of(activity);
    const grabs = await (manages ? this.managed(claims) : this.shown(claims, activity, caller));
    const items = grabs.map((grab, i) =>
      claims[i]!.packetNo === best ? { ...grab, isBest: true as const } : grab,
    );
    return { items, nextCursor };
  }

  /** A void packet does not count. */
  private async isWinner(activityId: string, { userId }: Caller): Promise<boolean> {
    const claim = await this.wonPackets.findClaim(activityId, userId);
    return claim !== undefined && claim.settlement !== 'void';
  }

  /** @param winner undefined for those who manage the activity, and see all claims */
  private async pageOf(
    activity: Activity,
    { limit, cursor, ...filter }: GrabsQuery,
    winner: Caller | undefined,
  ): Promise<Page<ClaimRow>> {
    const after = Number(decodeCursor(cursor, isPacketNo) ?? 0);
    const claims =
      (await this.findOne(activity.id, filter)) ??
      (await this.wonPackets.listOfActivity(activity.id, after, limit + 1));
    const page = toPage(claims, limit, (claim) => String(claim.packetNo));
    if (!winner) return page;
    // A request for another user's id must not reveal what the list does not show.
    const asksForAnother = filter.userId !== undefined && filter.userId !== winner.userId;
    const isHidden = (claim: ClaimRow) =>
      claim.settlement === 'void' || (asksForAnother && activity.audience === PUBLIC);
    return { ...page, items: page.items.filter((claim) => !isHidden(claim)) };
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

  private async managed(claims: readonly ClaimRow[]): Promise<ListedGrabDto[]> {
    const marks = await this.marked.marksOf(claims);
    return Promise.all(
      claims.map(async (claim, i) => ({ ...(await this.views.grabbed(claim)), ...marks[i] })),
    );
  }

  /** Leaves out what only the winner, the sponsor and staff may see. Many people know of a public activity. */
  private shown(
    claims: readonly ClaimRow[],
    { audience }: Activity,
    caller: Caller,
  ): Promise<ListedGrabDto[]> {
    return Promise.all(
      claims.map(async (claim) => {
        const { settlement: _, creditedAt: __, ...packet } = await this.views.packet(claim);
        const isNamed = audience !== PUBLIC || claim.userId === caller.userId;
        return { ...packet, userId: isNamed ? claim.userId : masked(claim.userId) };
      }),
    );
  }
}

const isPacketNo = (value: string): boolean => /^[1-9]\d{0,6}$/.test(value);
