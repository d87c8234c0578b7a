import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  type Dealt,
  type HeldPacket,
  type Packet,
  type Place,
  RainContents,
  type Standing,
  Standings,
} from '../../../libs/redis-scripts';
import { dealtOver } from '../activity';
import { isOnItsWay, ON_ITS_WAY_MS } from './on-its-way';
import { strayed } from './ways-home';

const PAGE = 10_000;

const ENDED_PAGE = 1_000;

export interface Agreement {
  /** The packets of running activities and the holders of ended ones. */
  readonly examined: number;
  readonly breaches: number;
}

export type InSnapshot = <T>(work: (snapshot: EntityManager) => Promise<T>) => Promise<T>;

const msOf = (moment: string): string => `floor(extract(epoch from ${moment}) * 1000)::float8`;

interface ActiveActivity extends Dealt {
  readonly packet_count: number;
  readonly opens_at_ms: number;
  readonly closes_at_ms: number;
  /** Its end has moved to a later instant, which may not have had time to reach Redis. */
  readonly is_longer: boolean;
  readonly age_ms: number;
  /** Packets up to this number have had time to reach Redis. */
  readonly due_no: number;
}

interface RecordedPackets extends Dealt {
  /** Amounts by packet number; index 0 is unused. */
  readonly amountsMinor: BigInt64Array;
  readonly packetByUser: ReadonlyMap<string, number>;
  readonly claimedNumbers: ReadonlySet<number>;
  /** Parts by packet number; undefined for an activity of one part. */
  readonly partOf?: Uint16Array;
}

/**
 * I9: Redis agrees with Postgres about every active activity, and about every ended one that it
 * still holds.
 *
 * Both are read while packets are grabbed, one after the other, so only what is true in that order
 * is checked. Postgres is read first (a snapshot for each activity), then the list, then the claims
 * hash. Packets move only from the list to the hash:
 *
 * - The activity is open in Redis, unless it was only just created or ended.
 * - Every packet in the list exists, has its amount, is there once, and is not in a claim of the
 *   snapshot. A packet that was added after the snapshot is looked up in Postgres again.
 * - Every holder holds an existing packet with its amount, and no other user holds it.
 * - Every claim of the snapshot is in the hash. A holder who is marked as confirmed has that claim
 *   in Postgres, which is read again for these.
 * - Every packet is in the list or in the hash, unless it was only just added and Redis has not
 *   said that it is loaded. A packet that was seen in both has left the list at a second look.
 * - In an activity of several parts each packet is in its own part, in the list and in the hash,
 *   and the notes lead every user with a confirmed claim there from the home part.
 * - The window of every part is that of Postgres, unless its end has only just moved to a later instant.
 * - No key of the activity expires.
 *
 * Nothing of an ended activity changes any more. Once it is tidied up, the hash holds exactly the
 * claims of Postgres, all confirmed, and the list is empty. An activity that Redis has forgotten is
 * not examined.
 *
 * An activity may end between two of these reads. So a breach counts only if a second check finds
 * one as well.
 */
@Injectable()
export class RedisAgreement {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly contents: RainContents,
    private readonly standings: Standings,
  ) {}

  async check(inSnapshot: InSnapshot): Promise<Agreement> {
    const total = { examined: 0, breaches: 0 };
    const add = ({ examined, breaches }: Agreement) => {
      total.examined += examined;
      total.breaches += breaches;
    };
    for await (const page of this.pagesOf(`status = 'active'`))
      for (const { id } of page)
        add(await lookTwice(() => inSnapshot((snapshot) => this.running(snapshot, id))));
    for await (const page of this.pagesOf(`status <> 'active' and forgotten_at is null`))
      for (const activity of await this.heldByRedis(page)) add(await lookTwice(() => this.ended(activity)));
    return total;
  }

  private async *pagesOf(which: string): AsyncGenerator<Dealt[]> {
    for (let after = '0'; ;) {
      const rows = await this.dataSource.query<Dealt[]>(
        `select id, parts from activity where ${which} and id > $1 order by id limit ${ENDED_PAGE}`,
        [after],
      );
      if (rows.length === 0) return;
      after = rows.at(-1)!.id;
      yield rows;
    }
  }

  private async running(snapshot: EntityManager, id: string): Promise<Agreement> {
    const [activity] = await snapshot.query<ActiveActivity[]>(
      `select id, parts, packet_count, ${msOf('opens_at')} as opens_at_ms, ${msOf('closes_at')} as closes_at_ms,
              exists (select from audit_log
                       where subject = 'activity:' || activity.id and action = 'activity.extend'
                         and at > clock_timestamp() - $2 * interval '1 millisecond') as is_longer,
              (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms,
              coalesce((select min(first_no) - 1 from top_up
                         where activity_id = activity.id
                           and created_at > clock_timestamp() - $2 * interval '1 millisecond'), packet_count) as due_no
         from activity where id = $1 and status = 'active'`,
      [id, ON_ITS_WAY_MS],
    );
    if (!activity) return { examined: 0, breaches: 0 };
    return { examined: activity.packet_count, breaches: await this.breachesOf(snapshot, activity) };
  }

  private async breachesOf(snapshot: EntityManager, activity: ActiveActivity): Promise<number> {
    const standing = await this.standings.whole(activity);
    const { status, packetCursor } = standing;
    if (status !== 'open') return isOnItsWay(standing, activity.age_ms) ? 0 : 1;
    const expiring = await this.expiringKeys(activity);
    const recorded = await readRecordedPackets(snapshot, activity);
    const places = activity.parts === 1 ? [standing] : await this.standings.each(this.placesOf(activity));
    const isOtherWindow = places.some((place) => hasOtherWindow(place, activity));
    const breaches = await this.packetBreaches(recorded, Math.max(packetCursor, activity.due_no));
    return expiring + breaches + (isOtherWindow ? 1 : 0);
  }

  private async expiringKeys(activity: Dealt): Promise<number> {
    let count = 0;
    for (const place of this.placesOf(activity)) count += (await this.contents.expiringKeys(place)).length;
    return count;
  }

  private async heldByRedis(activities: readonly Dealt[]): Promise<Dealt[]> {
    const standings = await Promise.all(activities.map((activity) => this.standings.whole(activity)));
    return activities.filter((_, i) => standings[i]!.status !== undefined || standings[i]!.packetsLeft > 0);
  }

  /** A breach does not count if the activity was on its way, or was forgotten during the check. */
  private async ended(activity: Dealt): Promise<Agreement> {
    const { held } = await this.standings.whole(activity);
    const breaches = await this.endedBreaches(activity);
    return { examined: held, breaches: breaches > 0 && (await this.mayDiffer(activity.id)) ? 0 : breaches };
  }

  private async endedBreaches(activity: Dealt): Promise<number> {
    const { id } = activity;
    const { status, packetsLeft, held } = await this.standings.whole(activity);
    const expiring = await this.expiringKeys(activity);
    const [row] = await this.dataSource.query<{ claims: number }[]>(
      `select count(*)::int as claims from claim where activity_id = $1`,
      [id],
    );
    let [wrong, strayedCount] = [0, 0];
    for await (const { page, place } of this.holders(activity)) {
      wrong += page.length - (await this.knownClaims(id, page));
      strayedCount += await this.strayed(activity, place, page);
    }
    const missing = Math.max(0, row!.claims - Math.max(0, held - wrong));
    return (status === 'closed' ? 0 : 1) + packetsLeft + expiring + wrong + missing + strayedCount;
  }

  private async mayDiffer(id: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is_on_its_way: boolean }[]>(
      `select forgotten_at is not null
              or (tidied_at is null and closed_at > clock_timestamp() - $2 * interval '1 millisecond') as is_on_its_way
         from activity where id = $1`,
      [id, ON_ITS_WAY_MS],
    );
    return row!.is_on_its_way;
  }

  /** Counts the confirmed holders who have exactly that claim in Postgres. */
  private async knownClaims(activityId: string, page: readonly Holder[]): Promise<number> {
    const holders = page.filter(({ packet }) => packet.confirmed);
    const [row] = await this.dataSource.query<{ known: string }[]>(
      `select count(*) as known
         from unnest($2::text[], $3::integer[], $4::bigint[]) as holder (user_id, packet_no, amount_minor)
         join claim using (user_id, packet_no, amount_minor)
        where activity_id = $1`,
      [
        activityId,
        holders.map(({ userId }) => userId),
        holders.map(({ packet }) => packet.no),
        holders.map(({ packet }) => packet.amountMinor),
      ],
    );
    return Number(row!.known);
  }

  /** Counts the breaches of an open activity. Packets up to `loadedNo` must be in Redis. */
  private async packetBreaches(recorded: RecordedPackets, loadedNo: number): Promise<number> {
    const listed = new Set<number>();
    const added = new Map<number, bigint>();
    let breaches = 0;
    for await (const { packet, place } of this.listed(recorded)) {
      if (!isInPlace(packet, place, recorded)) breaches += 1;
      if (isAdded(packet, recorded)) added.set(packet.no, packet.amountMinor);
      else if (!isGenuine(packet, recorded) || recorded.claimedNumbers.has(packet.no)) breaches += 1;
      if (listed.has(packet.no)) breaches += 1;
      listed.add(packet.no);
    }

    const holders = new Map<number, string>();
    const unheard = new Map(recorded.packetByUser);
    const claimedSince = new Map<string, number>();
    for await (const { page, place } of this.holders(recorded)) {
      breaches += await this.strayed(recorded, place, page);
      for (const { userId, packet } of page) {
        if (!isInPlace(packet, place, recorded)) breaches += 1;
        if (isAdded(packet, recorded)) added.set(packet.no, packet.amountMinor);
        else if (!isGenuine(packet, recorded)) breaches += 1;
        if ((holders.get(packet.no) ?? userId) !== userId) breaches += 1;
        holders.set(packet.no, userId);
        if (unheard.get(userId) === packet.no) unheard.delete(userId);
        else if (packet.confirmed && !recorded.packetByUser.has(userId)) claimedSince.set(userId, packet.no);
      }
    }

    const both = [...listed].filter((no) => holders.has(no));
    let lost = 0;
    for (let no = 1; no <= Math.min(loadedNo, lastNo(recorded)); no++)
      if (!listed.has(no) && !holders.has(no)) lost += 1;
    return (
      breaches +
      unheard.size +
      lost +
      (await this.unknownPackets(recorded.id, added)) +
      (await this.stillListed(recorded, both)) +
      (await this.unknownClaims(recorded.id, claimedSince))
    );
  }

  /** Reads the list from its head: packets leave at its end, so none is skipped meanwhile. */
  private async *listed(activity: Dealt): AsyncGenerator<{ packet: Packet; place: Place }> {
    for (const place of this.placesOf(activity))
      for (let start = 0, length = PAGE; length === PAGE; start += PAGE) {
        const packets = await this.contents.packetsPage(place, start, PAGE);
        for (const packet of packets) yield { packet, place };
        length = packets.length;
      }
  }

  private strayed(activity: Dealt, place: Place, page: readonly Holder[]): Promise<number> {
    const known = page.filter(({ packet }) => packet.confirmed).map(({ userId }) => userId);
    return strayed(this.contents, this.placesOf(activity), place, known);
  }

  private async *holders(activity: Dealt): AsyncGenerator<{ page: Holder[]; place: Place }> {
    for (const place of this.placesOf(activity))
      for await (const page of this.contents.holders(place)) yield { page, place };
  }

  private placesOf(activity: Dealt): Place[] {
    return this.standings.keys.placesOf(activity);
  }

  private async stillListed(activity: Dealt, packetNos: readonly number[]): Promise<number> {
    if (packetNos.length === 0) return 0;
    const doubtful = new Set(packetNos);
    let count = 0;
    for await (const { packet } of this.listed(activity)) if (doubtful.has(packet.no)) count += 1;
    return count;
  }

  /** Counts the packets (number to amount) that are still not in Postgres. */
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

  /** Counts the holders who still have no such claim in Postgres. */
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

/**
 * An activity that ends, or is tidied up, between the read of Postgres and the read of Redis does
 * so before the second check.
 */
const hasOtherWindow = (
  { opensAtMs, closesAtMs }: Standing,
  { opens_at_ms: fromMs, closes_at_ms: toMs, is_longer: isLonger }: ActiveActivity,
): boolean => opensAtMs !== fromMs || (isLonger ? closesAtMs > toMs : closesAtMs !== toMs);

async function lookTwice(look: () => Promise<Agreement>): Promise<Agreement> {
  const first = await look();
  return first.breaches === 0 ? first : look();
}

interface Holder {
  readonly userId: string;
  readonly packet: HeldPacket;
}

async function readRecordedPackets(
  snapshot: EntityManager,
  { id, parts, packet_count: count }: ActiveActivity,
): Promise<RecordedPackets> {
  const packets = await snapshot.query<{ no: number; amount: string; part?: number }[]>(
    parts === 1
      ? `select no, amount_minor as amount from packet where activity_id = $1 and no <= $2`
      : `select no, amount_minor as amount, no % ${dealtOver('no')} as part
           from packet join activity on activity.id = activity_id where activity_id = $1 and no <= $2`,
    [id, count],
  );
  const claims = await snapshot.query<{ user_id: string; packet_no: number }[]>(
    `select user_id, packet_no from claim where activity_id = $1`,
    [id],
  );
  const amountsMinor = new BigInt64Array(count + 1);
  const partOf = new Uint16Array(count + 1);
  for (const { no, amount, part } of packets) {
    amountsMinor[no] = BigInt(amount);
    if (part !== undefined) partOf[no] = part;
  }
  return {
    id,
    parts,
    amountsMinor,
    partOf: parts > 1 ? partOf : undefined,
    packetByUser: new Map(claims.map((claim) => [claim.user_id, claim.packet_no])),
    claimedNumbers: new Set(claims.map((claim) => claim.packet_no)),
  };
}

const lastNo = ({ amountsMinor }: RecordedPackets): number => amountsMinor.length - 1;

/** A higher number was added after the snapshot, if it is a packet at all. */
const isAdded = ({ no }: Packet, recorded: RecordedPackets): boolean => no > lastNo(recorded);

/** A packet that was added after the snapshot may be in any part. */
const isInPlace = ({ no }: Packet, { part }: Place, { partOf }: RecordedPackets): boolean =>
  partOf?.[no] === undefined || partOf[no] === part;

const isGenuine = ({ no, amountMinor }: Packet, { amountsMinor }: RecordedPackets): boolean =>
  no >= 1 && amountsMinor[no] === amountMinor;
