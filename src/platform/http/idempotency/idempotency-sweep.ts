import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Servers } from '../../../../libs/redis-scripts';
import { AppConfig } from '../../config';
import { presentByBoth } from '../../postgres';
import { Repeats } from '../../schedule';

const KEYS_AT_ONCE = 1_000;

const IS_OLD = `created_at < ${presentByBoth('$3')} - make_interval(secs => $2)`;

/**
 * Deletes old Idempotency-Keys with their answers. One that is deleted too early lets a deposit pay
 * twice, so it must be old by the clocks of Postgres and of Redis (a cluster's slowest master).
 */
@Injectable()
export class IdempotencySweep {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly servers: Servers,
    private readonly config: AppConfig,
  ) {}

  @Repeats('IdempotencySweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    const redisSeconds = await this.servers.earliestSeconds();
    while (!stopping.aborted && (await this.forgetSome(redisSeconds)) >= KEYS_AT_ONCE);
  }

  /**
   * Ids grow with time, so the first are the oldest, without an index by time. A key from the future was
   * dated by a clock that was ahead. It neither hides later keys nor outlives them.
   */
  private async forgetSome(redisSeconds: number): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `delete from idempotency_key
        where (created_at > now() or ${IS_OLD})
          and id <= (select max(id)
                       from (select id, created_at from idempotency_key
                              where created_at <= now() order by id limit $1) as oldest
                      where ${IS_OLD})`,
      [KEYS_AT_ONCE, this.config.IDEMPOTENCY_KEPT_SECONDS, redisSeconds],
    );
    return count;
  }
}
