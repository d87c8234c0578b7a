import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../platform/config';
import { Repeats } from '../../../platform/schedule';
import { RedisTrust, type Trust } from '../../dispenser';
import { Journal } from '../../grab';
import { ActivityTelling } from './activity-telling';
import { ActivityTidying } from '../tidy/activity-tidying';
import { loadSlots } from './load-slots';
import { RedisInventory } from './redis-inventory';

/** After this long it checks again whether this is still the same Redis, and whether another process was faster. */
const STEP_MS = 1_000;

/**
 * Tells a Redis that has restarted all claims, and then vouches for it: it may have lost its last moments.
 *
 * 1. Redis is told of every activity that it should hold, the running ones first, a few at a time. One that fails is
 *    told again later, and keeps no other waiting. One that has ended and that Redis has lost altogether is left to
 *    Postgres, which answers for it.
 * 2. The journal is decided: a winner who was forgotten may have drawn another packet meanwhile. Those who were told in
 *    step 1 cannot draw any more, so that afterwards a user holds in Redis what is theirs.
 * 3. What Redis was made to forget, and has back because it is hours older, is removed again: it knows neither all
 *    winners of these activities, nor their end.
 * 4. From now on Redis is trusted.
 *
 * When Postgres is not what Redis was told about, because it has lost commits in a failover or was restored, step 1 covers
 * every activity that Redis knows, and goes both ways ({@link ActivityTelling.tellAnew}).
 */
@Injectable()
export class RedisReminder {
  private readonly logger = new Logger('RedisReminder');
  private begun?: Trust;
  /** Ids of activities, the next one last. */
  private untold: string[] = [];
  private readonly toldAtOnce: number;

  constructor(
    private readonly inventory: RedisInventory,
    private readonly telling: ActivityTelling,
    private readonly tidying: ActivityTidying,
    private readonly journal: Journal,
    private readonly trust: RedisTrust,
    config: AppConfig,
  ) {
    this.toldAtOnce = loadSlots(config);
  }

  /** Tells for about a second, and vouches when all is told; does nothing while Redis is trusted. */
  @Repeats('RedisReminder', 'SWEEP_INTERVAL_MS')
  async step(): Promise<void> {
    if (this.trust.isOfOthers) return;
    const trust = await this.trust.look();
    if (trust.notes.isTrusted && trust.isSameHistory) return this.forget();
    if (!trust.mark) return;
    if (!this.begun || !isSame(this.begun, trust)) await this.begin(trust);
    await this.tellSome();
    if (this.untold.length > 0) return;
    await this.journal.decideAll();
    await this.tidying.removeForgotten();
    const vouched = await this.trust.vouch(this.begun!);
    this.forget();
    if (vouched) this.logger.log('Redis has been told all claims.');
  }

  private async begin(trust: Trust): Promise<void> {
    this.untold = (await this.inventory.list(trust.isSameHistory)).reverse();
    this.begun = trust;
  }

  /** The next time everything is told again, even to the same server. */
  private forget(): void {
    this.begun = undefined;
  }

  private async tellSome(): Promise<void> {
    const failed: string[] = [];
    const until = performance.now() + STEP_MS;
    const tellOneByOne = async () => {
      while (this.untold.length > 0 && performance.now() < until) {
        const id = this.untold.pop()!;
        await this.tell(id).catch((error: unknown) => {
          this.logger.error(`Activity ${id}: ${String(error)}`);
          failed.push(id);
        });
      }
    };
    await Promise.all(Array.from({ length: this.toldAtOnce }, tellOneByOne));
    this.untold.unshift(...failed);
  }

  private tell(id: string): Promise<void> {
    return this.begun!.isSameHistory ? this.telling.tell(id) : this.telling.tellAnew(id);
  }
}

/** Whether it is still the same Redis and the same history, one that has not gone back. */
const isSame = (begun: Trust, { notes, mark }: Trust): boolean =>
  begun.notes.serverId === notes.serverId &&
  begun.mark!.history === mark!.history &&
  begun.mark!.flushed <= mark!.flushed;
