import { Injectable, Logger } from '@nestjs/common';
import { Dispenser, type JournalRecord } from '../../../libs/redis-scripts';
import { ConfirmService, RESERVATIONS_PER_COMMIT_MAX } from './confirm.service';

const ENTRIES_PER_PAGE = 20;

/**
 * The journal remembers every reservation until it is decided. Whoever reads old entries finishes what a crashed or
 * disconnected process has begun: its winners are confirmed and paid even if they never come back.
 */
@Injectable()
export class Journal {
  private readonly logger = new Logger('Journal');

  constructor(
    private readonly dispenser: Dispenser,
    private readonly confirmations: ConfirmService,
  ) {}

  /**
   * Decides every entry that is older than `ageMs` by the clock of Redis, or what it can until it is told to stop. Returns
   * how many reservations it decided.
   */
  async sweep(ageMs: number, stopping?: AbortSignal): Promise<number> {
    const upToId = String((await this.dispenser.nowMs()) - ageMs);
    let decided = 0;
    for (let shard = 0; shard < this.dispenser.keys.shardCount; shard++) {
      if (stopping?.aborted) break;
      try {
        decided += await this.decide(shard, upToId, () => true, stopping);
      } catch (error) {
        this.logger.error(`The journal of shard ${shard} could not be swept: ${String(error)}`);
      }
    }
    return decided;
  }

  /**
   * Decides every entry that stands there now, however young.
   *
   * @throws when a shard could not be decided to its end
   */
  async decideAll(): Promise<void> {
    for (let shard = 0; shard < this.dispenser.keys.shardCount; shard++)
      await this.decideUpToNow(shard, () => true);
  }

  /** Decides every reservation of an activity that refuses new ones already. */
  async drain(activityId: string): Promise<void> {
    await this.decideUpToNow(this.dispenser.keys.shardOf(activityId), (record) =>
      record.reservations.some((r) => r.activityId === activityId),
    );
  }

  private async decideUpToNow(shard: number, wanted: (record: JournalRecord) => boolean): Promise<void> {
    const upToId = await this.dispenser.journalEnd(shard);
    if (upToId !== undefined) await this.decide(shard, upToId, wanted);
  }

  private async decide(
    shard: number,
    upToId: string,
    wanted: (record: JournalRecord) => boolean,
    stopping?: AbortSignal,
  ): Promise<number> {
    let decided = 0;
    let afterId = '-';
    for (;;) {
      const page = await this.dispenser.readJournal(shard, afterId, upToId, ENTRIES_PER_PAGE);
      const reservations = page.filter(wanted).flatMap((record) => record.reservations);
      for (let start = 0; start < reservations.length; start += RESERVATIONS_PER_COMMIT_MAX) {
        await this.confirmations.confirmAll(reservations.slice(start, start + RESERVATIONS_PER_COMMIT_MAX));
      }
      decided += reservations.length;
      if (page.length < ENTRIES_PER_PAGE || stopping?.aborted) return decided;
      afterId = page.at(-1)!.id;
    }
  }
}
