import type { OwnRedis } from './own-redis';
import type { RedisKeys } from './redis-keys';
import { Script } from './script';
import type { ScriptDefinition } from './script-header';

export const standingScripts = {
  standing: {
    name: 'standing',
    keys: 'installation state packets claims',
    args: 'field*',
    returns: 'whose fields packetsLeft held',
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
  /** As in {@link Window}; undefined when another installation has loaded it, or an older version. */
  readonly birth?: string;
}

/** What Redis says of activities, and what time it is there. */
export class Standings {
  private readonly keys: RedisKeys;
  private readonly script: Script;

  constructor(private readonly own: OwnRedis) {
    this.keys = own.keys;
    this.script = new Script(own.redis, standingScripts.standing);
  }

  /** The server's clock in milliseconds: the only clock that decides about the window of a rain. */
  async nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.own.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  /** Status and number of packets left, for any number of activities, in their order. */
  async ofAll(activityIds: readonly string[]): Promise<Pick<Standing, 'status' | 'packetsLeft' | 'told'>[]> {
    return Promise.all(
      activityIds.map(async (activityId) => {
        const { state, packets } = this.keys.activity(activityId);
        const [[status, told, format], packetsLeft] = await Promise.all([
          this.own.redis.hmget(state, 'status', 'told', 'format'),
          this.own.redis.llen(packets),
        ]);
        return {
          status: statusOf(status, format),
          packetsLeft,
          told: told ?? undefined,
        };
      }),
    );
  }

  /** The same of one activity, with the number of users who hold a packet and the load cursor, all at one moment. */
  async of(activityId: string): Promise<Standing> {
    const { state, packets, claims } = this.keys.activity(activityId);
    const installation = this.keys.installation(this.keys.shardOf(activityId));
    const reply = await this.script.run(
      [installation, state, packets, claims],
      ['status', 'packetCursor', 'opensAt', 'told', 'birth', 'owner', 'format'],
    );
    const [whose, fields, packetsLeft, held] = reply as [string | null, (string | null)[], number, number];
    this.own.requireOwn(whose);
    const [status, packetCursor, opensAt, told, birth, owner, format] = fields;
    return {
      status: statusOf(status, format),
      packetsLeft,
      held,
      packetCursor: Number(packetCursor ?? 0),
      opensAtMs: Number(opensAt ?? 0),
      told: told ?? undefined,
      birth: owner === this.own.installation ? (birth ?? undefined) : undefined,
    };
  }

  /** Only for an activity that Redis knows: an unknown one is not created. */
  async rememberTold(activityId: string, told: string): Promise<void> {
    const { state } = this.keys.activity(activityId);
    if ((await this.own.redis.exists(state)) === 1) await this.own.redis.hset(state, 'told', told);
  }

  /** When grabs were refused for good, in milliseconds by the server's clock; undefined while they are not. */
  async endedAtMs(activityId: string): Promise<number | undefined> {
    const endedAt = await this.own.redis.hget(this.keys.activity(activityId).state, 'endedAt');
    return endedAt === null ? undefined : Number(endedAt);
  }
}

/** A state that was written before formats were numbered has the first one. */
function statusOf(status: string | null | undefined, format: string | null | undefined): DispenserStatus {
  if (Number(format ?? FORMAT) > FORMAT) return 'newer';
  return (status ?? undefined) as DispenserStatus;
}
