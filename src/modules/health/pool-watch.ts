import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../platform/config';
import { Metrics } from '../../platform/telemetry';

/**
 * The connections to Postgres that this process shares. When all are used, callers wait, among them
 * confirmations of grabs.
 */
@Injectable()
export class PoolWatch implements OnModuleInit {
  private readonly waits;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    config: AppConfig,
    metrics: Metrics,
  ) {
    const pool = () => this.pool;
    metrics.gauge({
      name: 'hongbao_postgres_pool_connections',
      help: 'Connections of this process to Postgres, by whether they are used at this moment',
      labelNames: ['state'],
      collect() {
        const { totalCount = 0, idleCount = 0 } = pool() ?? {};
        this.set({ state: 'used' }, totalCount - idleCount);
        this.set({ state: 'idle' }, idleCount);
      },
    });
    metrics.gauge({
      name: 'hongbao_postgres_pool_waiting',
      help: 'Callers who wait for a connection at this moment',
      collect() {
        this.set(pool()?.waitingCount ?? 0);
      },
    });
    metrics
      .gauge({
        name: 'hongbao_postgres_pool_max_connections',
        help: 'Connections that this process may have: DATABASE_POOL_MAX',
      })
      .set(config.DATABASE_POOL_MAX);
    this.waits = metrics.timing({
      name: 'hongbao_postgres_pool_wait_seconds',
      help: 'How long it took to get a connection from the pool, or to be refused one',
    });
  }

  /** Times `connect`, which all callers use: the pool itself does not report waiting times. */
  onModuleInit(): void {
    const { pool, waits } = this;
    if (!pool) return;
    const connect = pool.connect.bind(pool) as (done: Connected) => void;
    const timedConnect = (done: Connected) => {
      const startMs = performance.now();
      connect((...outcome) => {
        waits.since(startMs);
        done(...outcome);
      });
    };
    pool.connect = timedConnect as typeof pool.connect;
  }

  /** Undefined when there is no pool, as at the end of the program. */
  private get pool(): Pool | undefined {
    return (this.dataSource.driver as unknown as { master?: Pool }).master;
  }
}

/** The driver's callback, called with a connection or with an error. */
type Connected = Parameters<Pool['connect']>[0];
