import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { InjectDataSource } from '@nestjs/typeorm';
import { Dispenser } from '../../../libs/redis-scripts';

const PAGE = 10_000;

export interface Agreement {
  /** Packets looked at. */
  readonly examined: number;
  readonly breaches: number;
}

/**
 * I9: Redis agrees with Postgres about every open activity.
 *
 * Both are read while it rains, one after the other, so only what is true in that order is asked. Postgres is read
 * first (a snapshot), then the list, then the claims hash, and packets move only from the list to the hash:
 *
 * - a claim of the snapshot is in the hash, with the same packet;
 * - a claim of the snapshot is not in the list;
 * - every packet is in the list or in the hash: none is lost;
 * - a holder who is marked as confirmed has that claim in Postgres, which is asked again for those.
 */
@Injectable()
export class RedisAgreement {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly dispenser: Dispenser,
  ) {}

  async check(snapshot: EntityManager): Promise<Agreement> {
    const activities: { id: string; packet_count: number }[] = await snapshot.query(
      `select id, packet_count from activity where status = 'active' order by id`,
    );
    const total = { examined: 0, breaches: 0 };
    for (const { id, packet_count } of activities) {
      const { status } = await this.dispenser.standingOf(id);
      if (status !== 'open') continue;
      total.examined += packet_count;
      total.breaches += await this.breachesOf(snapshot, id, packet_count);
    }
    return total;
  }

  private async breachesOf(
    snapshot: EntityManager,
    activityId: string,
    packetCount: number,
  ): Promise<number> {
    const claimed = await this.claims(snapshot, activityId);
    const seen = new Uint8Array(packetCount + 1);
    let breaches = 0;

    for await (const packetNo of this.listed(activityId)) {
      if (claimed.numbers.has(packetNo)) breaches += 1;
      seen[packetNo] = 1;
    }

    const missing = new Map(claimed.byUser);
    const news: { userId: string; packetNo: number }[] = [];
    for await (const page of this.dispenser.holders(activityId)) {
      for (const { userId, packet } of page) {
        seen[packet.no] = 1;
        if (missing.get(userId) === packet.no) missing.delete(userId);
        else if (packet.confirmed && !claimed.byUser.has(userId)) news.push({ userId, packetNo: packet.no });
      }
    }
    const lost = seen.subarray(1).filter((flag) => flag === 0).length;
    return breaches + missing.size + lost + (await this.unknownClaims(activityId, news));
  }

  private async claims(snapshot: EntityManager, activityId: string) {
    const rows: { user_id: string; packet_no: number }[] = await snapshot.query(
      `select user_id, packet_no from claim where activity_id = $1`,
      [activityId],
    );
    return {
      byUser: new Map(rows.map((row) => [row.user_id, row.packet_no])),
      numbers: new Set(rows.map((row) => row.packet_no)),
    };
  }

  /** From the head of the list: packets are taken from its end, so nothing is skipped while it shrinks. */
  private async *listed(activityId: string): AsyncGenerator<number> {
    for (let start = 0; ; start += PAGE) {
      const packets = await this.dispenser.packetsPage(activityId, start, PAGE);
      for (const packet of packets) yield packet.no;
      if (packets.length < PAGE) return;
    }
  }

  /** How many of these holders have no such claim in Postgres by now. */
  private async unknownClaims(
    activityId: string,
    holders: { userId: string; packetNo: number }[],
  ): Promise<number> {
    if (holders.length === 0) return 0;
    const [row] = await this.dataSource.query<{ known: string }[]>(
      `select count(*) as known
         from unnest($2::text[], $3::integer[]) as holder (user_id, packet_no)
         join claim using (user_id, packet_no)
        where activity_id = $1`,
      [activityId, holders.map((holder) => holder.userId), holders.map((holder) => holder.packetNo)],
    );
    return holders.length - Number(row!.known);
  }
}
