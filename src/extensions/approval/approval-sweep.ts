import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { Repeats } from '../../platform/schedule';

/**
 * A request made while the clock of Postgres was ahead would stay open that much longer than any other.
 * Nobody knows when it was really made, so it counts as made now.
 */
@Injectable()
export class ApprovalSweep {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly config: AppConfig,
  ) {}

  @Repeats('ApprovalSweep', 'SWEEP_INTERVAL_MS')
  async sweep(): Promise<void> {
    await this.dataSource.query(
      `update approval set expires_at = now() + make_interval(secs => $1)
        where id in (select id from approval
                      where status = 'pending' and expires_at > now() + make_interval(secs => $1)
                        for update skip locked)`,
      [this.config.APPROVAL_VALID_SECONDS],
    );
  }
}
