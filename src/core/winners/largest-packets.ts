import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import type { Activity } from '../activity';

interface Largest {
  /** Null if packets can still be won, or all packets hold the same amount. */
  readonly packetNo: number | null;
}

const ACTIVITIES_MAX = 1_000;

/** For an activity with more packets, the answer is kept for a while. */
const PACKETS_FEW = 1_000;
const KEPT_MS = 10_000;

/** The largest packet, once none can be won any more. */
@Injectable()
export class LargestPackets {
  private readonly kept = new LRUCache<string, Largest>({
    max: ACTIVITIES_MAX,
    ttl: KEPT_MS,
    fetchMethod: (activityId) => this.find(activityId),
  });

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async of({ id, packetCount }: Pick<Activity, 'id' | 'packetCount'>): Promise<number | null> {
    const { packetNo } = packetCount <= PACKETS_FEW ? await this.find(id) : (await this.kept.fetch(id))!;
    return packetNo;
  }

  /** The packet that leaves the list last has the lowest number, so one that is left is found at once. */
  private async find(activityId: string): Promise<Largest> {
    const [row] = await this.dataSource.query<Largest[]>(
      `select (select case when min(amount_minor) < max(amount_minor)
                           then (array_agg(packet_no order by amount_minor desc, id))[1] end
                 from claim
                where activity_id = $1
                  and not exists (select from dead_letter where claim_id = claim.id and status = 'void')) as "packetNo"
         from activity
        where id = $1
          and (status <> 'active'
               or not exists (select from packet
                               where activity_id = $1
                                 and not exists (select from claim where activity_id = $1 and packet_no = no)))`,
      [activityId],
    );
    return row ?? { packetNo: null };
  }
}
