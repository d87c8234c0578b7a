import type { EngineReader } from './engine-reader';
import type { ClientLog } from './client-log';
import type { Watch } from './redis-monitor';

/** What the checker knows about one activity. */
export interface Witness {
  readonly reader: EngineReader;
  readonly log: ClientLog;
  readonly monitor: Watch;
  readonly activityId: string;
  /** Over how many parts its creation asked for it to be dealt. */
  readonly parts: number;
  /** The other activities of the round: same users, same sponsor. */
  readonly besideIds: readonly string[];
  readonly userIds: readonly string[];
  /** What was told meanwhile may be lost. */
  readonly forgiven: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The clock of Redis is not that of this host. */
  readonly stepsClock: boolean;
  /** Redis has forgotten nothing in this round. */
  readonly knowsAll: boolean;
  /** Before this instant, more packets were still to come. */
  readonly lastPacketsAtMs: number;
}
