import type { Currency } from '../../libs/money';
import type { EngineReader } from './engine-reader';
import type { ClientLog } from './client-log';
import type { Watch } from './redis-monitor';
import type { Releases, Terms } from './terms';

/** A number of packets of an activity that Postgres had committed at this instant. */
export interface Committed {
  readonly atMs: number;
  readonly packets: number;
}

export interface Witness {
  readonly reader: EngineReader;
  readonly log: ClientLog;
  readonly monitor: Watch;
  readonly activityId: string;
  /** Number of parts that its creation asked for. */
  readonly parts: number;
  /** The other activities of the round: same users, same sponsor. */
  readonly besideIds: readonly string[];
  /** Activities of the same sponsor without any users. */
  readonly formerIds: readonly string[];
  readonly userIds: readonly string[];
  /** Periods whose answers may be lost. */
  readonly forgiven: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The clock of Redis differs from this host's. */
  readonly stepsClock: boolean;
  /** Redis has forgotten nothing in this round. */
  readonly knowsAll: boolean;
  /** The checker's view of its packets in Postgres, if Redis must know them. */
  readonly committed: readonly Committed[];
  /** More packets were still to come before this instant. */
  readonly lastPacketsAtMs: number;
  readonly terms: Terms;
  readonly currency: Currency;
  /** What the sponsor had before its rains; undefined if it had just what they took. */
  readonly stockMinor?: bigint;
  /** When the packets of its creation are released, in this order; undefined if all are at once. */
  readonly plan?: Releases;
  /** The packets that were added to it, and when they are released. */
  readonly added: Releases;
  /** Users without a valid ticket, who tapped all the same. */
  readonly strangerIds: readonly string[];
  /** Users for whom the activity does not exist, who tapped all the same. */
  readonly outsiderIds: readonly string[];
  /** From when on the former share code led nowhere; undefined if it was not rotated. */
  readonly rotatedAtMs?: number;
  /** The activity and user of each held claim that staff have released. */
  readonly released: ReadonlySet<string>;
}
