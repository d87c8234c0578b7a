import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  type JournalRecord,
  OwnRedis,
  type Place,
  type Reservation,
  ShardJournals,
} from '../../../../libs/redis-scripts';
import { Sightings } from '../../../../libs/sightings';
import { Metrics } from '../../../platform/telemetry';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from '../confirm/confirm.service';

const ENTRIES_PER_PAGE = 20;

/**
 * The journal remembers every reservation until it is decided. A process that reads old entries
 * finishes the work of one that crashed: those winners are confirmed and paid even if they never
 * come back.
 *
 * An entry that cannot be read must neither hold up those after it nor be lost, because it may be
 * about a user's money. So its readable part is decided, and the whole entry moves into quarantine,
 * for operators. An entry of a newer version of this program is left to that version.
 */
@Injectable()
export class Journal {
  private readonly logger = new Logger('Journal');
  private readonly quarantined;
  /** The ends of each shard's journal, as this process saw them. */
  private readonly ends = new Map<number, Sightings<string>>();

  /** @param nowMs a clock of this process that never steps */
  constructor(
    private readonly journals: ShardJournals,
    private readonly own: OwnRedis,
    private readonly confirmations: ConfirmService,
    metrics: Metrics,
    @Optional() private readonly nowMs?: () => number,
  ) {
    this.quarantined = metrics.counter({
      name: 'hongbao_journal_entries_quarantined_total',
      help: 'Journal entries that this process could not read and has put aside; GET /v1/journal/quarantine lists them',
    });
  }

  /**
   * Decides every entry that was in a journal at least `ageMs` before this call, until it is told
   * to stop. No clock of Redis decides the age: after it was set back, ids lie in the future, and
   * the winners of a dead process would have to wait for that moment. Returns the number of
   * decisions.
   *
   * All journals are read at once, so a server that does not answer keeps no other waiting.
   */
  async sweep(ageMs: number, stopping?: AbortSignal): Promise<number> {
    if (this.own.isForeign) return 0;
    const { shards } = this.journals.keys;
    const ends = await Promise.all(
      shards.map((shard) => this.attempt(shard, () => this.endSeenBefore(shard, ageMs))),
    );
    let decided = 0;
    for (const shard of shards) {
      const upToId = ends[shard];
      if (stopping?.aborted) break;
      if (upToId === undefined) continue;
      const done = await this.attempt(shard, () => this.decide(shard, upToId, () => true, stopping));
      decided += done?.decided ?? 0;
    }
    return decided;
  }

  private async attempt<T>(shard: number, work: () => Promise<T>): Promise<T | undefined> {
    return work().catch((error: unknown) => {
      this.logger.error(`The journal of shard ${shard} could not be swept: ${String(error)}`);
      return undefined;
    });
  }

  /** Notes the end of a journal, and returns the end that was seen at least `ageMs` ago. */
  private async endSeenBefore(shard: number, ageMs: number): Promise<string | undefined> {
    const endId = await this.journals.end(shard);
    if (endId === undefined) {
      this.ends.delete(shard);
      return undefined;
    }
    const ends = this.ends.get(shard) ?? new Sightings<string>(this.nowMs);
    this.ends.set(shard, ends);
    return ends.note(endId, ageMs);
  }

  /**
   * Decides every entry that is there now, however young.
   * @throws if it did not reach the end of the shard's journal
   */
  async decideAll(shard: number): Promise<void> {
    requireAll(await this.decideUpToNow(shard, () => true));
  }

  /**
   * Decides every reservation of a place whose activity refuses new ones already.
   * @throws if it could not; reservations of others that share an entry may still be held up
   */
  async drain({ id, shard }: Place): Promise<void> {
    requireAll(await this.drainTogether(shard, new Set([id])));
  }

  /**
   * Decides every reservation of these activities of a shard, which all refuse new ones already.
   * @returns those that are held up
   */
  async drainTogether(shard: number, activityIds: ReadonlySet<string>): Promise<Reservation[]> {
    const isOwn = ({ activityId }: Reservation) => activityIds.has(activityId);
    const heldUp = await this.decideUpToNow(shard, (record) => record.reservations.some(isOwn));
    return heldUp.filter(isOwn);
  }

  private async decideUpToNow(
    shard: number,
    wanted: (record: JournalRecord) => boolean,
  ): Promise<Reservation[]> {
    const upToId = await this.journals.end(shard);
    return upToId === undefined ? [] : [...(await this.decide(shard, upToId, wanted)).heldUp];
  }

  private async decide(
    shard: number,
    upToId: string,
    wanted: (record: JournalRecord) => boolean,
    stopping?: AbortSignal,
  ): Promise<{ decided: number; heldUp: ReadonlySet<Reservation> }> {
    let decided = 0;
    const heldUp = new Set<Reservation>();
    let afterId = '-';
    for (;;) {
      const page = await this.journals.read(shard, afterId, upToId, ENTRIES_PER_PAGE);
      const reservations = page.filter(wanted).flatMap((record) => record.reservations);
      for (let start = 0; start < reservations.length; start += RESERVATIONS_PER_COMMIT_MAX) {
        const batch = reservations.slice(start, start + RESERVATIONS_PER_COMMIT_MAX);
        const left = await this.confirmations.confirmAll(batch);
        for (const reservation of left) heldUp.add(reservation);
        decided += batch.length - left.length;
      }
      const undecided = ({ reservations }: JournalRecord) => reservations.some((one) => heldUp.has(one));
      await this.quarantine(
        shard,
        page.filter((record) => wanted(record) && !undecided(record)),
      );
      if (page.length < ENTRIES_PER_PAGE || stopping?.aborted) return { decided, heldUp };
      afterId = page.at(-1)!.id;
    }
  }

  /** Runs once the readable part is decided. Logs one line for a page, which may be long. */
  private async quarantine(shard: number, page: readonly JournalRecord[]): Promise<void> {
    const moved: string[] = [];
    for (const { id, flaw } of page)
      if (flaw !== undefined && (await this.journals.quarantine(shard, id, flaw)))
        moved.push(`${id} (${flaw})`);
    if (moved.length === 0) return;
    this.quarantined.inc(moved.length);
    this.logger.error(
      `Entries of the journal of shard ${shard} cannot be read and are in quarantine: ${moved.join(', ')}`,
    );
  }
}

function requireAll(heldUp: readonly Reservation[]): void {
  if (heldUp.length > 0) throw new Error(`${heldUp.length} reservations are held up.`);
}
