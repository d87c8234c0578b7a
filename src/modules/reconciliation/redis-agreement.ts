import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Dispenser, type Packet } from '../../../libs/redis-scripts';

const PAGE = 10_000;

/** How long an activity may be on its way into Redis after its creation, or out of Postgres after its end. */
const ON_ITS_WAY_MS = 60_000;

export interface Agreement {
  /** Packets looked at. */
  readonly examined: number;
  readonly breaches: number;
}

interface ActiveActivity {
  readonly id: string;
  readonly packet_count: number;
  readonly age_ms: number;
}

/** What Postgres says about one activity. */
interface Books {
  readonly activityId: string;
  /** Amounts by packet number; index 0 is unused. */
  readonly amountsMinor: BigInt64Array;
  readonly packetByUser: ReadonlyMap<string, number>;
  readonly claimedNumbers: ReadonlySet<number>;
}

/**
 * I9: Redis agrees with Postgres about every active activity.
 *
 * Both are read while it rains, one after the other, so only what is true in that order is asked. Postgres is read first
 * (a snapshot), then the list, then the claims hash, and packets move only from the list to the hash:
 *
 * - the activity is open in Redis, unless it has only just been created or ended;
 * - every packet in the list exists, has its amount, is there once, and is not in a claim of the snapshot;
 * - every holder holds an existing packet with its amount, and nobody else holds it;
 * - every claim of the snapshot is in the hash; a holder who is marked as confirmed has that claim in Postgres, which is
 *   asked again for those;
 * - every packet is in the list or in the hash, and what was seen in both has left the list at a second look;
 * - no key of the activity expires.
 */
@Injectable()
export class RedisAgreement {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly dispenser: Dispenser,
  ) {}

  async check(snapshot: EntityManager): Promise<Agreement> {
    const activities = await snapshot.query<ActiveActivity[]>(
      `select id, packet_count, (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms
         from activity where status = 'active' order by id`,
    );
    const total = { examined: 0, breaches: 0 };
    for (const activity of activities) {
      total.examined += activity.packet_count;
      total.breaches += await this.breachesOf(snapshot, activity);
    }
    return total;
  }

  private async breachesOf(snapshot: EntityManager, activity: ActiveActivity): Promise<number> {
    const { status } = await this.dispenser.standingOf(activity.id);
    if (status !== 'open') return (await this.isOnItsWay(activity)) ? 0 : 1;
    const expiring = await this.dispenser.expiringKeys(activity.id);
    const books = await readBooks(snapshot, activity);
    return expiring.length + (await this.packetBreaches(books));
  }

  private async isOnItsWay({ id, age_ms: ageMs }: ActiveActivity): Promise<boolean> {
    const endedAtMs = await this.dispenser.endedAtMs(id);
    if (endedAtMs === undefined) return ageMs < ON_ITS_WAY_MS;
    return (await this.dispenser.nowMs()) - endedAtMs < ON_ITS_WAY_MS;
  }

  private async packetBreaches(books: Books): Promise<number> {
    const listed = new Set<number>();
    let breaches = 0;
    for await (const packet of this.listed(books.activityId)) {
      if (!isGenuine(packet, books) || listed.has(packet.no) || books.claimedNumbers.has(packet.no))
        breaches += 1;
      listed.add(packet.no);
    }

    const holders = new Map<number, string>();
    const unheard = new Map(books.packetByUser);
    const news = new Map<string, number>();
    for await (const page of this.dispenser.holders(books.activityId)) {
      for (const { userId, packet } of page) {
        if (!isGenuine(packet, books) || (holders.get(packet.no) ?? userId) !== userId) breaches += 1;
        holders.set(packet.no, userId);
        if (unheard.get(userId) === packet.no) unheard.delete(userId);
        else if (packet.confirmed && !books.packetByUser.has(userId)) news.set(userId, packet.no);
      }
    }

    const both = [...listed].filter((no) => holders.has(no));
    const lost = books.amountsMinor.length - 1 - new Set([...listed, ...holders.keys()]).size;
    return (
      breaches +
      unheard.size +
      Math.max(0, lost) +
      (await this.stillListed(books.activityId, both)) +
      (await this.unknownClaims(books.activityId, news))
    );
  }

  /** From the head of the list: packets are taken from its end, so nothing is skipped while it shrinks. */
  private async *listed(activityId: string): AsyncGenerator<Packet> {
    for (let start = 0; ; start += PAGE) {
      const packets = await this.dispenser.packetsPage(activityId, start, PAGE);
      yield* packets;
      if (packets.length < PAGE) return;
    }
  }

  private async stillListed(activityId: string, packetNos: readonly number[]): Promise<number> {
    if (packetNos.length === 0) return 0;
    const doubtful = new Set(packetNos);
    let count = 0;
    for await (const packet of this.listed(activityId)) if (doubtful.has(packet.no)) count += 1;
    return count;
  }

  /** How many of these holders have no such claim in Postgres by now. */
  private async unknownClaims(activityId: string, holders: ReadonlyMap<string, number>): Promise<number> {
    if (holders.size === 0) return 0;
    const [row] = await this.dataSource.query<{ known: string }[]>(
      `select count(*) as known
         from unnest($2::text[], $3::integer[]) as holder (user_id, packet_no)
         join claim using (user_id, packet_no)
        where activity_id = $1`,
      [activityId, [...holders.keys()], [...holders.values()]],
    );
    return holders.size - Number(row!.known);
  }
}

async function readBooks(
  snapshot: EntityManager,
  { id, packet_count: count }: ActiveActivity,
): Promise<Books> {
  const packets = await snapshot.query<{ no: number; amount: string }[]>(
    `select no, amount_minor as amount from packet where activity_id = $1 and no <= $2`,
    [id, count],
  );
  const claims = await snapshot.query<{ user_id: string; packet_no: number }[]>(
    `select user_id, packet_no from claim where activity_id = $1`,
    [id],
  );
  const amountsMinor = new BigInt64Array(count + 1);
  for (const { no, amount } of packets) amountsMinor[no] = BigInt(amount);
  return {
    activityId: id,
    amountsMinor,
    packetByUser: new Map(claims.map((claim) => [claim.user_id, claim.packet_no])),
    claimedNumbers: new Set(claims.map((claim) => claim.packet_no)),
  };
}

const isGenuine = ({ no, amountMinor }: Packet, { amountsMinor }: Books): boolean =>
  no >= 1 && amountsMinor[no] === amountMinor;
