import type { SteppedClock } from '../../src/dev/engines';
import {
  type CloseWhen,
  type ConfirmedClaim,
  type DrawOutcome,
  type Ending,
  type HeldPacket,
  type JournalRecord,
  OwnRedis,
  type Packet,
  type PacketPage,
  type Place,
  type RainLoading,
  type RedisClient,
  type Release,
  type Standing,
  type Window,
} from '../../libs/redis-scripts';
import { DispenserParts } from './dispenser-parts';
import { startOneServer, startRedisPlace } from './redis-place';

const HOUR_MS = 3_600_000;
const SHARDS = 4;

/** Opening and closing times, in milliseconds from now. */
export const WINDOWS = {
  ahead: [HOUR_MS, 2 * HOUR_MS],
  now: [-HOUR_MS, HOUR_MS],
  over: [-2 * HOUR_MS, -HOUR_MS],
} as const;

/** The parts of the dispenser on a Redis of their own, with short names for the steps of a test. */
export class Dispensing extends DispenserParts {
  private activities = 0;

  private constructor(
    readonly redis: RedisClient,
    own: OwnRedis,
    readonly stop: () => Promise<void>,
    /** Settings by which a program uses the same Redis. */
    readonly env: NodeJS.ProcessEnv = {},
  ) {
    super(own);
  }

  static async start(shardCount = SHARDS, { clock }: { clock?: SteppedClock } = {}): Promise<Dispensing> {
    const place = clock ? await startOneServer({ clock }) : await startRedisPlace();
    const redis = place.connect();
    // A cluster's client does not know its nodes before its first command.
    await redis.exists('anything');
    const stop = async () => {
      redis.disconnect();
      await place.stop();
    };
    const env = { ...place.env, SHARD_COUNT: String(shardCount) };
    return new Dispensing(redis, new OwnRedis(redis, shardCount), stop, env);
  }

  /** Uses a connection that the caller has opened and closes. */
  static over(redis: RedisClient, shardCount: number): Dispensing {
    return new Dispensing(redis, new OwnRedis(redis, shardCount), () => Promise.resolve());
  }

  /** Returns an id that no other test uses. Activities of one shard share a journal. */
  newActivity(shard = 0): string {
    this.activities += 1;
    return String(this.activities * this.keys.shardCount + shard);
  }

  /** Opens in `opensInMs` and closes in `closesInMs`, by the clock of the server. */
  async window(opensInMs: number = WINDOWS.now[0], closesInMs: number = WINDOWS.now[1]): Promise<Window> {
    const now = await this.nowMs();
    return { opensAtMs: now + opensInMs, closesAtMs: now + closesInMs };
  }

  async load(activityId: string, packets: readonly Packet[], window?: Window): Promise<void> {
    const { packetCursor } = await this.begin(activityId, window ?? (await this.window()));
    if (packets.length > 0) await this.loadPackets(activityId, packetCursor, pageOf(packets));
  }

  async rain(packets: readonly Packet[], window?: Window, shard = 0): Promise<string> {
    const activityId = this.newActivity(shard);
    await this.load(activityId, packets, window);
    const status = await this.open(activityId, packets.at(-1)?.no ?? 0);
    if (status !== 'open') throw new Error(`Activity ${activityId} is ${status}.`);
    return activityId;
  }

  readStanding(activityId: string): Promise<Standing> {
    return this.standings.readStanding(this.keys.placeOf(activityId));
  }

  begin(activityId: string, window: Window): ReturnType<RainLoading['begin']> {
    return this.loading.begin(this.keys.placeOf(activityId), window);
  }

  loadPackets(activityId: string, cursor: number, page: PacketPage): Promise<number> {
    return this.loading.loadPackets(this.keys.placeOf(activityId), cursor, page);
  }

  loadClaims(activityId: string, claims: readonly ConfirmedClaim[]): Promise<void> {
    return this.loading.loadClaims(this.keys.placeOf(activityId), claims);
  }

  open(activityId: string, lastNo: number): ReturnType<RainLoading['open']> {
    return this.loading.open(this.keys.placeOf(activityId), lastNo);
  }

  extend(activityId: string, cursor: number, page: PacketPage): Promise<number> {
    return this.loading.extend(this.keys.placeOf(activityId), cursor, page);
  }

  close(activityId: string, when: CloseWhen, window: Window): Promise<Ending | undefined> {
    return this.closing.close(this.keys.placeOf(activityId), when, window);
  }

  tidyUp(activityId: string, claimCount: number): Promise<void> {
    return this.closing.tidyUp(this.keys.placeOf(activityId), claimCount);
  }

  /** Returns the answer to each user. All users draw in one call. */
  draw(activityId: string, ...userIds: string[]): Promise<DrawOutcome[]> {
    return this.reservations.draw(this.keys.shardOf(activityId), [{ activityId, userIds }]);
  }

  release(release: Omit<Release, 'shard'>): Promise<void> {
    return this.reservations.release({ ...release, shard: this.keys.shardOf(release.activityId) });
  }

  listed(activityId: string): Promise<Packet[]> {
    return this.contents.packetsPage(this.keys.placeOf(activityId), 0, 100_000);
  }

  async held(activityId: string): Promise<Map<string, HeldPacket>> {
    return this.heldAt(this.keys.placeOf(activityId));
  }

  async heldAt(place: Place): Promise<Map<string, HeldPacket>> {
    const held = new Map<string, HeldPacket>();
    for await (const page of this.contents.holders(place))
      for (const { userId, packet } of page) held.set(userId, packet);
    return held;
  }

  /** Does work and returns the records that it added to a journal. */
  async journaledBy(shard: number, work: () => Promise<unknown>): Promise<JournalRecord[]> {
    const end = await this.journals.end(shard);
    await work();
    return this.journals.read(shard, end ?? '-', '+', 1_000);
  }
}

/** Packets numbered from 1. Each amount is a hundred times the number, so no two are equal. */
export function packetsUpTo(count: number): Packet[] {
  return Array.from({ length: count }, (_, i) => ({ no: i + 1, amountMinor: BigInt(100 * (i + 1)) }));
}

export const pageOf = (packets: readonly Packet[]): PacketPage => ({
  text: packets.map(({ no, amountMinor }) => `${no}:${amountMinor}`).join(' '),
  lastNo: packets.at(-1)?.no ?? 0,
});

export const numbersOf = (packets: Iterable<Packet>): number[] => Array.from(packets, ({ no }) => no);

/** The rains that all tests of a spec file share. */
export let rains: Dispensing;

/** With `beforeEach` and `afterEach`, each test has a Redis of its own. */
export function shareRains(begin = beforeAll, end = afterAll): void {
  begin(async () => {
    rains = await Dispensing.start();
  });
  end(() => rains.stop());
}
