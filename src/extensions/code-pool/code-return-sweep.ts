import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { eachInTurn, Repeats } from '../../platform/schedule';
import { CodePoolRepository } from './code-pool.repository';

/** Returns codes that nobody won to their pools, once their activities have ended. */
@Injectable()
export class CodeReturnSweep {
  constructor(
    private readonly pools: CodePoolRepository,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  @Repeats('CodeReturnSweep', 'SWEEP_INTERVAL_MS')
  async sweep(stopping: AbortSignal): Promise<void> {
    await eachInTurn(await this.pools.owed(), stopping, (owed) =>
      this.dataSource.transaction(async (tx) => {
        await this.pools.lock(tx, owed.poolId);
        await this.pools.takeBack(tx, owed);
      }),
    );
  }
}
