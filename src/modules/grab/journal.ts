import { Injectable, Logger, Optional } from '@nestjs/common';
import {
  type JournalRecord,
  OwnRedis,
  type Place,
  type Reservation,
  ShardJournals,
} from '../../../libs/redis-scripts';
import { Sightings } from '../../../libs/sightings';
import { Metrics } from '../../platform/telemetry';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from './confirm.service';

const ENTRIES_PER_PAGE = 20;

/**
 * The journal remembers every reservation until it is decided. A process that reads old entries finishes what a
 * crashed or disconnected process has begun: its winners are confirmed and paid even if they never come back.
 *
 * An entry that cannot be read must not hold up those after it, nor be lost, because it may be about somebody's money: what
 * can be read of it is decided, and the whole is moved into quarantine, for operators. An entry of a newer version of this
 * program is left alone: the one that wrote it decides it.
 */
@Injectable()
export class Journal {
  private readonly logger = new Logger('Journal');
  private readonly quarantined;
  /** How far the journal of each shard was seen to reach. */
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
   * Decides every entry that was there already when this was called at least `ageMs` ago, or what it can until it is told to
   * stop. No clock of Redis says how old an entry is: its id lies in the future when that clock has been set back, and the
   * winners of a dead process would have to wait for that moment. Returns how many reservations it decided.
   *
   * It looks at all journals at once, so that those of a server that does not answer do not keep the others waiting.
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

  /** Looks how far a journal reaches, and returns how far it was seen to reach at least `ageMs` ago. */
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
   * Decides every entry that stands there now, however young.
   *
   * @throws when the shard could not be decided to its end
   */
  async decideAll(shard: number): Promise<void> {
    await this.decideUpToNow(shard, () => true);
  }

  /**
   * Decides every reservation of a place of an activity that refuses new ones already.
   *
   * @throws when it could not. Reservations of others that share an entry with them may be held up
   */
  async drain({ id, shard }: Place): Promise<void> {
    const isOwn = (reservation: Reservation) => reservation.activityId === id;
    await this.decideUpToNow(shard, (record) => record.reservations.some(isOwn), isOwn);
  }

  private async decideUpToNow(
    shard: number,
    wanted: (record: JournalRecord) => boolean,
    needed: (reservation: Reservation) => boolean = () => true,
  ): Promise<void> {
    const upToId = await this.journals.end(shard);
    if (upToId === undefined) return;
    const { heldUp } = await this.decide(shard, upToId, wanted);
    const missing = heldUp.filter(needed).length;
    if (missing > 0) throw new Error(`${missing} reservations are held up by somebody's lock.`);
  }

  private async decide(
    shard: number,
    upToId: string,
    wanted: (record: JournalRecord) => boolean,
    stopping?: AbortSignal,
  ): Promise<{ decided: number; heldUp: Reservation[] }> {
    let decided = 0;
    const heldUp: Reservation[] = [];
    let afterId = '-';
    for (;;) {
      const page = await this.journals.read(shard, afterId, upToId, ENTRIES_PER_PAGE);
      const reservations = page.filter(wanted).flatMap((record) => record.reservations);
      for (let start = 0; start < reservations.length; start += RESERVATIONS_PER_COMMIT_MAX) {
        const batch = reservations.slice(start, start + RESERVATIONS_PER_COMMIT_MAX);
        const left = await this.confirmations.confirmAll(batch);
        heldUp.push(...left);
        decided += batch.length - left.length;
      }
      await this.quarantine(shard, page.filter(wanted));
      if (page.length < ENTRIES_PER_PAGE || stopping?.aborted) return { decided, heldUp };
      afterId = page.at(-1)!.id;
    }
  }

  /** After what can be read of them was decided. One line for a page: there may be many. */
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
