import { Batcher } from '../batching';
import type { OwnRedis } from './own-redis';
import type { Dealt, Place, RedisKeys } from './redis-keys';
import { isMistyped, Script } from './script';
import type { ScriptDefinition } from './script-header';
import { STATE_FORMAT_MAX } from './state-format';

export const standingScripts = {
  standing: {
    name: 'standing',
    keys: 'installation (state packets claims waitlist)*',
    args: 'field*',
    returns: 'whose nowMs (fields packetsLeft held waiting)*',
  },
} satisfies Record<string, ScriptDefinition>;

/**
 * `closing`: claims may be incomplete; `newer`: only the newer version of this program that loaded
 * it may touch it; `undefined`: Redis does not know it.
 */
export type DispenserStatus = 'newer' | 'loading' | 'open' | 'closing' | 'closed' | undefined;

export interface Standing {
  readonly status: DispenserStatus;
  readonly packetsLeft: number;
  readonly held: number;
  /** The number of users who wait here and hold no packet. */
  readonly waiting: number;
  /** The number of holders when it was tidied up after its end. */
  readonly claimed?: number;
  /** The number of the last packet loaded. Redis does not know the packets after it. */
  readonly packetCursor: number;
  /** Packets after the cursor were announced: Postgres may have them already. */
  readonly isAwaiting: boolean;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** The last news that was published to those who watch it. */
  readonly told?: string;
  /** The moment since which grabs are refused for good, by its server's clock. */
  readonly endedAtMs?: number;
  /** The birth of {@link Window}; undefined if another installation or older version loaded it. */
  readonly birth?: string;
  /** Undefined if Redis does not know of any. */
  readonly parts?: number;
  /** See {@link stateFormat}. */
  readonly format: number;
  /** The clock of its server, which alone decides about the window of a rain. */
  readonly nowMs: number;
}

export const isSoldOut = ({ status, packetsLeft, isAwaiting }: Standing): boolean =>
  status === 'open' && packetsLeft === 0 && !isAwaiting;

/** The status of the whole is the first of these that any part has. */
const PRECEDENCE: readonly DispenserStatus[] = ['newer', 'closing', 'loading', undefined, 'open', 'closed'];

function together(standings: readonly Standing[]): Standing {
  const rank = ({ status }: Standing): number => PRECEDENCE.indexOf(status);
  const furthest = standings.reduce((first, one) => (rank(one) < rank(first) ? one : first));
  return {
    ...standings[0]!,
    status: furthest.status,
    birth: standings.find(({ birth }) => birth !== standings[0]!.birth) ? undefined : standings[0]!.birth,
    packetsLeft: standings.reduce((sum, { packetsLeft }) => sum + packetsLeft, 0),
    held: standings.reduce((sum, { held }) => sum + held, 0),
    waiting: standings.reduce((sum, { waiting }) => sum + waiting, 0),
    packetCursor: Math.min(...standings.map(({ packetCursor }) => packetCursor)),
    isAwaiting: standings.some(({ isAwaiting }) => isAwaiting),
  };
}

async function answered(looks: readonly Promise<Standing>[]): Promise<(Standing | undefined)[]> {
  const settled = await Promise.allSettled(looks);
  return settled.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
}

const FIELDS = [
  'status',
  'packetCursor',
  'opensAt',
  'told',
  'birth',
  'owner',
  'format',
  'endedAt',
  'parts',
  'closesAt',
  'announced',
  'claimed',
];

/** Places in one script call: a longer call keeps all other clients of Redis waiting longer. */
const PLACES_PER_CALL_MAX = 64;
const CALLS_IN_FLIGHT_MAX = 64;

type StandingReply = [whose: string | null, nowMs: number, ...seen: unknown[]];

/** All reads of a shard in one turn of the event loop share a script call. */
export class Standings {
  readonly keys: RedisKeys;
  private readonly script: Script;
  private readonly looks: readonly Batcher<Place, Standing | Error>[];

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.script = new Script(own.redis, standingScripts.standing);
    this.looks = own.keys.shards.map(
      (shard) =>
        new Batcher({
          run: (places) => this.lookAt(shard, places),
          sizeMax: PLACES_PER_CALL_MAX,
          concurrencyMax: CALLS_IN_FLIGHT_MAX,
        }),
    );
  }

  /** States in order; undefined if a server does not answer, or the place cannot be read. */
  at(places: readonly Place[]): Promise<(Standing | undefined)[]> {
    return answered(places.map((place) => this.readStanding(place)));
  }

  /** States as far as {@link isSoldOut} needs them; undefined if a server does not answer. */
  untilPackets(activities: readonly Dealt[]): Promise<(Standing | undefined)[]> {
    return answered(activities.map((activity) => this.upToPackets(activity)));
  }

  /**
   * Reads places, each time twice as many, until one shows that the activity is not sold out. A
   * page of activities with many parts would cost thousands of calls.
   */
  private async upToPackets(activity: Dealt): Promise<Standing> {
    const places = this.keys.placesOf(activity);
    const seen: Standing[] = [];
    do seen.push(...(await this.each(places.slice(seen.length, 2 * seen.length + 1))));
    while (seen.length < places.length && seen.every(isSoldOut));
    return together(seen);
  }

  /**
   * The state of all places together: packets and holders of all of them, the clock of the first,
   * and the status that is furthest from open.
   */
  async whole(activity: Dealt): Promise<Standing> {
    const standings = await this.each(this.keys.placesOf(activity));
    return standings.length === 1 ? standings[0]! : together(standings);
  }

  each(places: readonly Place[]): Promise<Standing[]> {
    return Promise.all(places.map((place) => this.readStanding(place)));
  }

  async readStanding(place: Place): Promise<Standing> {
    const standing = await this.looks[place.shard]!.submit(place);
    if (standing instanceof Error) throw standing;
    return standing;
  }

  private async lookAt(shard: number, places: readonly Place[]): Promise<(Standing | Error)[]> {
    const keys = places.flatMap((place) => {
      const { state, packets, claims, waitlist } = this.keys.at(place);
      return [state, packets, claims, waitlist];
    });
    let reply = await this.ask(shard, keys);
    if (reply.some(isMistyped) && (await this.own.removeMistyped(shard, keys)))
      reply = await this.ask(shard, keys);
    const [whose, nowMs, ...seen] = reply;
    this.own.requireOwn(whose);
    return places.map((_, i) => this.read(seen.slice(4 * i, 4 * i + 4), nowMs));
  }

  private async ask(shard: number, keys: readonly string[]): Promise<StandingReply> {
    return (await this.script.run([this.keys.installation(shard), ...keys], FIELDS)) as StandingReply;
  }

  private read(seen: readonly unknown[], nowMs: number): Standing | Error {
    const fault = seen.find((value) => value instanceof Error);
    if (fault) return fault;
    const [fields, packetsLeft, held, waiting] = seen as [(string | null)[], number, number, number];
    const [
      status,
      packetCursor,
      opensAt,
      told,
      birth,
      owner,
      format,
      endedAt,
      parts,
      closesAt,
      announced,
      claimed,
    ] = fields;
    return {
      status: statusOf(status, format),
      packetsLeft,
      held,
      waiting,
      claimed: claimed ? Number(claimed) : undefined,
      packetCursor: Number(packetCursor ?? 0),
      isAwaiting: Number(announced ?? 0) > Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      closesAtMs: Number(closesAt ?? 0),
      told: told ?? undefined,
      endedAtMs: endedAt ? Number(endedAt) : undefined,
      birth: owner === this.own.installation ? (birth ?? undefined) : undefined,
      parts: parts ? Number(parts) : undefined,
      format: Number(format ?? 1),
      nowMs,
    };
  }

  /** An activity unknown to Redis is not created. */
  async rememberTold(activityId: string, told: string): Promise<void> {
    const { state } = this.keys.activity(activityId);
    if ((await this.own.redis.exists(state)) === 1) await this.own.redis.hset(state, 'told', told);
  }
}

/** A state from before formats were numbered has format 1. */
function statusOf(status: string | null | undefined, format: string | null | undefined): DispenserStatus {
  if (Number(format ?? 1) > STATE_FORMAT_MAX) return 'newer';
  return (status ?? undefined) as DispenserStatus;
}
