import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config';
import { Repeats } from '../../schedule';

/** Few enough to be deleted in a moment. */
const KEYS_AT_ONCE = 1_000;

/** Forgets Idempotency-Keys, and the answers kept with them, when nobody repeats their requests any more. */
@Injectable()
export class IdempotencySweep {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  @Repeats('IdempotencySweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.forgetSome()) === KEYS_AT_ONCE);
  }

  /**
   * Ids grow with time, so the first ones are the oldest: no index by time is needed, which every keyed request would write
   * to.
   */
  private async forgetSome(): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `delete from idempotency_key
        where id in (
          select id from (select id, created_at from idempotency_key order by id limit $1) as oldest
           where created_at < now() - make_interval(secs => $2)
        )`,
      [KEYS_AT_ONCE, this.config.IDEMPOTENCY_KEPT_SECONDS],
    );
    return count;
  }
}
