import type { Currency } from '../../libs/money';
import type { EngineReader } from './engine-reader';
import type { ClientLog } from './client-log';
import type { Watch } from './redis-monitor';
import type { Releases, Terms } from './terms';

/** How many packets of an activity Postgres had committed by this instant. */
export interface Committed {
  readonly atMs: number;
  readonly packets: number;
}

export interface Witness {
  readonly reader: EngineReader;
  readonly log: ClientLog;
  readonly monitor: Watch;
  readonly activityId: string;
  /** The number of parts that its creation asked for. */
  readonly parts: number;
  /** The other activities of the round: same users, same sponsor. */
  readonly besideIds: readonly string[];
  /** Activities of the same sponsor without any users. */
  readonly formerIds: readonly string[];
  readonly userIds: readonly string[];
  /** Periods whose answers may be lost. */
  readonly forgiven: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** An engine's clock differs from this host's for a while. */
  readonly stepsClock: boolean;
  /** Redis has forgotten nothing in this round. */
  readonly knowsAll: boolean;
  /** Its packets in Postgres as they were seen over time; empty if Redis need not know them. */
  readonly committed: readonly Committed[];
  /** Until this instant, more packets were still to come. */
  readonly lastPacketsAtMs: number;
  readonly terms: Terms;
  readonly currency: Currency;
  /** What the sponsor had before its rains; undefined if exactly what they cost. */
  readonly stockMinor?: bigint;
  /** When the packets of its creation are released, in order; undefined if all at once. */
  readonly plan?: Releases;
  /** The packets that were added to it, and when they are released. */
  readonly added: Releases;
  /** Users without a valid ticket who tapped nevertheless. */
  readonly strangerIds: readonly string[];
  /** Users for whom the activity does not exist, and who tapped nevertheless. */
  readonly outsiderIds: readonly string[];
  /** When the former share code stopped working; undefined if it was not rotated. */
  readonly rotatedAtMs?: number;
  /** The activity and user of each held claim that staff have released. */
  readonly released: ReadonlySet<string>;
}
