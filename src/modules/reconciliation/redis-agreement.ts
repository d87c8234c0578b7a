import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Dispenser, type Packet } from '../../../libs/redis-scripts';

const PAGE = 10_000;

/** How long an activity, or what is added to it, may be on its way into Redis, or an ended one out of Postgres. */
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
  /** Packets up to this number have had time enough to come to Redis. */
  readonly due_no: number;
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
 * - every packet in the list exists (one that was added after the snapshot is asked for again), has its amount, is there
 *   once, and is not in a claim of the snapshot;
 * - every holder holds an existing packet with its amount, and nobody else holds it;
 * - every claim of the snapshot is in the hash; a holder who is marked as confirmed has that claim in Postgres, which is
 *   asked again for those;
 * - every packet is in the list or in the hash, unless it has only just been added and Redis has not said that it is
 *   loaded; and what was seen in both has left the list at a second look;
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
      `select id, packet_count, (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms,
              coalesce((select min(first_no) - 1 from top_up
                         where activity_id = activity.id
                           and created_at > clock_timestamp() - $1 * interval '1 millisecond'), packet_count) as due_no
         from activity where status = 'active' order by id`,
      [ON_ITS_WAY_MS],
    );
    const total = { examined: 0, breaches: 0 };
    for (const activity of activities) {
      total.examined += activity.packet_count;
      total.breaches += await this.breachesOf(snapshot, activity);
    }
    return total;
  }

  private async breachesOf(snapshot: EntityManager, activity: ActiveActivity): Promise<number> {
    const { status, packetCursor } = await this.dispenser.standingOf(activity.id);
    if (status !== 'open') return (await this.isOnItsWay(activity)) ? 0 : 1;
    const expiring = await this.dispenser.expiringKeys(activity.id);
    const books = await readBooks(snapshot, activity);
    return expiring.length + (await this.packetBreaches(books, Math.max(packetCursor, activity.due_no)));
  }

  private async isOnItsWay({ id, age_ms: ageMs }: ActiveActivity): Promise<boolean> {
    const endedAtMs = await this.dispenser.endedAtMs(id);
    if (endedAtMs === undefined) return ageMs < ON_ITS_WAY_MS;
    return (await this.dispenser.nowMs()) - endedAtMs < ON_ITS_WAY_MS;
  }

  /** Packets up to `loadedNo` must be there. */
  private async packetBreaches(books: Books, loadedNo: number): Promise<number> {
    const listed = new Set<number>();
    const added = new Map<number, bigint>();
    let breaches = 0;
    for await (const packet of this.listed(books.activityId)) {
      if (isAdded(packet, books)) added.set(packet.no, packet.amountMinor);
      else if (!isGenuine(packet, books) || books.claimedNumbers.has(packet.no)) breaches += 1;
      if (listed.has(packet.no)) breaches += 1;
      listed.add(packet.no);
    }

    const holders = new Map<number, string>();
    const unheard = new Map(books.packetByUser);
    const news = new Map<string, number>();
    for await (const page of this.dispenser.holders(books.activityId)) {
      for (const { userId, packet } of page) {
        if (isAdded(packet, books)) added.set(packet.no, packet.amountMinor);
        else if (!isGenuine(packet, books)) breaches += 1;
        if ((holders.get(packet.no) ?? userId) !== userId) breaches += 1;
        holders.set(packet.no, userId);
        if (unheard.get(userId) === packet.no) unheard.delete(userId);
        else if (packet.confirmed && !books.packetByUser.has(userId)) news.set(userId, packet.no);
      }
    }

    const both = [...listed].filter((no) => holders.has(no));
    let lost = 0;
    for (let no = 1; no <= Math.min(loadedNo, lastNo(books)); no++)
      if (!listed.has(no) && !holders.has(no)) lost += 1;
    return (
      breaches +
      unheard.size +
      lost +
      (await this.unknownPackets(books.activityId, added)) +
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

  /** How many of these packets, by number, are not in Postgres by now. */
  private async unknownPackets(activityId: string, packets: ReadonlyMap<number, bigint>): Promise<number> {
    if (packets.size === 0) return 0;
    const [row] = await this.dataSource.query<{ known: string }[]>(
      `select count(*) as known
         from unnest($2::integer[], $3::bigint[]) as added (no, amount_minor)
         join packet using (no, amount_minor)
        where activity_id = $1`,
      [activityId, [...packets.keys()], [...packets.values()]],
    );
    return packets.size - Number(row!.known);
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

const lastNo = ({ amountsMinor }: Books): number => amountsMinor.length - 1;

/** Added after the snapshot, if it is a packet at all. */
const isAdded = ({ no }: Packet, books: Books): boolean => no > lastNo(books);

const isGenuine = ({ no, amountMinor }: Packet, { amountsMinor }: Books): boolean =>
  no >= 1 && amountsMinor[no] === amountMinor;
