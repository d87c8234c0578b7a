import type { OwnRedis } from './own-redis';
import type { Dealt, Place, RedisKeys } from './redis-keys';
import { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const standingScripts = {
  standing: {
    name: 'standing',
    keys: 'installation state packets claims',
    args: 'field*',
    returns: 'whose fields packetsLeft held nowMs',
  },
} satisfies Record<string, ScriptDefinition>;

/** The formats of an activity's state, as `lua/load-begin.lua` writes them: that of a part is the second. */
const FORMAT = 1;
const FORMAT_MAX = 2;

/**
 * How an activity stands in Redis, `closing` while its claims may be incomplete; `newer` when only the newer version of
 * this program that loaded it may touch it; `undefined` when Redis does not know it.
 */
export type DispenserStatus = 'newer' | 'loading' | 'open' | 'closing' | 'closed' | undefined;

/** How an activity stands in Redis at one moment. */
export interface Standing {
  readonly status: DispenserStatus;
  readonly packetsLeft: number;
  /** Users who hold a packet. */
  readonly held: number;
  /** The number of the last packet loaded: Redis does not know of those after it. */
  readonly packetCursor: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** What those who watch it were last told. */
  readonly told?: string;
  /** When grabs were refused for good, by the clock of its server; undefined while they are not. */
  readonly endedAtMs?: number;
  /** As in {@link Window}; undefined when another installation has loaded it, or an older version. */
  readonly birth?: string;
  /** Over how many parts Redis believes that it is dealt; undefined where it does not know of any. */
  readonly parts?: number;
  /** The clock of the server that holds it: the only one that decides about the window of a rain. */
  readonly nowMs: number;
}

/** The first of these that any part has is that of the whole. */
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
    packetCursor: Math.min(...standings.map(({ packetCursor }) => packetCursor)),
  };
}

async function answered(looks: readonly Promise<Standing>[]): Promise<(Standing | undefined)[]> {
  const settled = await Promise.allSettled(looks);
  return settled.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
}

/** What Redis says of activities. */
export class Standings {
  readonly keys: RedisKeys;
  private readonly script: Script;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.script = new Script(own.redis, standingScripts.standing);
  }

  /** Of these places, in their order; undefined where a server does not answer, or the place cannot be read. */
  at(places: readonly Place[]): Promise<(Standing | undefined)[]> {
    return answered(places.map((place) => this.of(place)));
  }

  /** The same of activities as a whole, wherever their places are. */
  ofWhole(activities: readonly Dealt[]): Promise<(Standing | undefined)[]> {
    return answered(activities.map((activity) => this.whole(activity)));
  }

  /**
   * Of all places together, each at a moment of its own: the packets and holders of all of them, the clock of the first, and
   * the status that is furthest from open.
   */
  async whole(activity: Dealt): Promise<Standing> {
    const standings = await this.each(this.keys.placesOf(activity));
    return standings.length === 1 ? standings[0]! : together(standings);
  }

  /** Of each of these places. */
  each(places: readonly Place[]): Promise<Standing[]> {
    return Promise.all(places.map((place) => this.of(place)));
  }

  /** All of it at one moment. */
  async of(place: Place): Promise<Standing> {
    const { state, packets, claims } = this.keys.at(place);
    const installation = this.keys.installation(place.shard);
    const reply = await this.script.run(
      [installation, state, packets, claims],
      [
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
      ],
    );
    const [whose, fields, packetsLeft, held, nowMs] = reply as StandingReply;
    this.own.requireOwn(whose);
    const [status, packetCursor, opensAt, told, birth, owner, format, endedAt, parts, closesAt] = fields;
    return {
      status: statusOf(status, format),
      packetsLeft,
      held,
      packetCursor: Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      closesAtMs: Number(closesAt ?? 0),
      told: told ?? undefined,
      endedAtMs: endedAt ? Number(endedAt) : undefined,
      birth: owner === this.own.installation ? (birth ?? undefined) : undefined,
      parts: parts ? Number(parts) : undefined,
      nowMs,
    };
  }

  /** Only for an activity that Redis knows: an unknown one is not created. */
  async rememberTold(activityId: string, told: string): Promise<void> {
    const { state } = this.keys.activity(activityId);
    if ((await this.own.redis.exists(state)) === 1) await this.own.redis.hset(state, 'told', told);
  }
}

type StandingReply = [
  whose: string | null,
  fields: (string | null)[],
  packetsLeft: number,
  held: number,
  nowMs: number,
];

/** A state that was written before formats were numbered has the first one. */
function statusOf(status: string | null | undefined, format: string | null | undefined): DispenserStatus {
  if (Number(format ?? FORMAT) > FORMAT_MAX) return 'newer';
  return (status ?? undefined) as DispenserStatus;
}
