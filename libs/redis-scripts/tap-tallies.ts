import type { FencedScript, OwnRedis } from './own-redis';
import type { ScriptDefinition } from './script-header';

export const tapScripts = {
  count: { name: 'count-taps', keys: 'taps state', args: 'keptSeconds (what count)*', returns: 'nothing' },
} satisfies Record<string, ScriptDefinition>;

/** Seconds after the last tap. */
const KEPT_SECONDS = 86_400;

/** Added up over all processes. */
export class TapTallies {
  private readonly countScript: FencedScript;

  constructor(private readonly own: OwnRedis) {
    this.countScript = own.fenced(tapScripts.count);
  }

  /** Counts nothing for an activity that Redis does not hold. */
  async add(activityId: string, counts: Iterable<readonly [what: string, count: number]>): Promise<void> {
    const { keys } = this.own;
    const args = Array.from(counts).flat();
    const names = [keys.taps(activityId), keys.activity(activityId).state];
    await this.countScript(keys.shardOf(activityId), names, [KEPT_SECONDS, ...args]);
  }

  /** An outcome that was never counted is missing. */
  async readTallies(activityId: string): Promise<Record<string, number>> {
    const { keys } = this.own;
    const [counts] = await this.own.read(keys.shardOf(activityId), (reading) =>
      reading.hgetall(keys.taps(activityId)),
    );
    const entries = Object.entries(counts as Record<string, string>);
    return Object.fromEntries(entries.map(([what, count]) => [what, Number(count)]));
  }
}
