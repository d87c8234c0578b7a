import type { OwnRedis } from './own-redis';
import type { RedisKeys } from './redis-keys';
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

/** The format of an activity's state, as `lua/load-begin.lua` writes it. */
const FORMAT = 1;

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
  /** What those who watch it were last told. */
  readonly told?: string;
  /** When grabs were refused for good, by the clock of its server; undefined while they are not. */
  readonly endedAtMs?: number;
  /** As in {@link Window}; undefined when another installation has loaded it, or an older version. */
  readonly birth?: string;
  /** The clock of the server that holds it: the only one that decides about the window of a rain. */
  readonly nowMs: number;
}

/** What Redis says of activities. */
export class Standings {
  readonly keys: RedisKeys;
  private readonly script: Script;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.script = new Script(own.redis, standingScripts.standing);
  }

  /** In their order; undefined for those whose server does not answer, or that cannot be read. */
  async ofAll(activityIds: readonly string[]): Promise<(Standing | undefined)[]> {
    const looks = await Promise.allSettled(activityIds.map((activityId) => this.of(activityId)));
    return looks.map((look) => (look.status === 'fulfilled' ? look.value : undefined));
  }

  /** All of it at one moment. */
  async of(activityId: string): Promise<Standing> {
    const { state, packets, claims } = this.keys.activity(activityId);
    const installation = this.keys.installation(this.keys.shardOf(activityId));
    const reply = await this.script.run(
      [installation, state, packets, claims],
      ['status', 'packetCursor', 'opensAt', 'told', 'birth', 'owner', 'format', 'endedAt'],
    );
    const [whose, fields, packetsLeft, held, nowMs] = reply as StandingReply;
    this.own.requireOwn(whose);
    const [status, packetCursor, opensAt, told, birth, owner, format, endedAt] = fields;
    return {
      status: statusOf(status, format),
      packetsLeft,
      held,
      packetCursor: Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      told: told ?? undefined,
      endedAtMs: endedAt ? Number(endedAt) : undefined,
      birth: owner === this.own.installation ? (birth ?? undefined) : undefined,
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
  if (Number(format ?? FORMAT) > FORMAT) return 'newer';
  return (status ?? undefined) as DispenserStatus;
}
