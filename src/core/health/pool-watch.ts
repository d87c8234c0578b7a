import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { InjectUrgentPool } from '../../platform/postgres';
import { Metrics } from '../../platform/telemetry';

/**
 * The connections to Postgres that this process shares. When all connections of a pool are used, callers
 * wait; callers of the urgent pool are confirmations of grabs.
 */
@Injectable()
export class PoolWatch implements OnModuleInit {
  private readonly sources: ReadonlyMap<string, DataSource>;
  private readonly waits;

  constructor(
    @InjectDataSource() general: DataSource,
    @InjectUrgentPool() urgent: DataSource,
    metrics: Metrics,
  ) {
    const sources = new Map([['general', general]]);
    if (urgent !== general) sources.set('urgent', urgent);
    this.sources = sources;
    metrics.gauge({
      name: 'hongbao_postgres_pool_connections',
      help: 'Connections of this process to Postgres, by whether they are used at this moment',
      labelNames: ['pool', 'state'],
      collect() {
        for (const [name, source] of sources) {
          const { totalCount = 0, idleCount = 0 } = poolOf(source) ?? {};
          this.set({ pool: name, state: 'used' }, totalCount - idleCount);
          this.set({ pool: name, state: 'idle' }, idleCount);
        }
      },
    });
    metrics.gauge({
      name: 'hongbao_postgres_pool_waiting',
      help: 'Callers who wait for a connection at this moment',
      labelNames: ['pool'],
      collect() {
        for (const [name, source] of sources) this.set({ pool: name }, poolOf(source)?.waitingCount ?? 0);
      },
    });
    metrics.gauge({
      name: 'hongbao_postgres_pool_max_connections',
      help: 'Connections that a pool may have; those of all pools of a process are DATABASE_POOL_MAX',
      labelNames: ['pool'],
      collect() {
        for (const [name, source] of sources) this.set({ pool: name }, poolOf(source)?.options.max ?? 0);
      },
    });
    this.waits = metrics.timings({
      name: 'hongbao_postgres_pool_wait_seconds',
      help: 'How long it took to get a connection from the pool, or to be refused one',
      label: 'pool',
      values: [...sources.keys()],
    });
  }

  /** All callers use `connect`: a pool itself does not report waiting times. */
  onModuleInit(): void {
    for (const [name, source] of this.sources) {
      const pool = poolOf(source);
      if (!pool) continue;
      const connect = pool.connect.bind(pool) as (done: Connected) => void;
      const timedConnect = (done: Connected) => {
        const startMs = performance.now();
        connect((...outcome) => {
          this.waits[name]!.since(startMs);
          done(...outcome);
        });
      };
      pool.connect = timedConnect as typeof pool.connect;
    }
  }
}

/** Undefined when there is no pool, as at the end of the program. */
const poolOf = (source: DataSource): Pool | undefined =>
  (source.driver as unknown as { master?: Pool }).master;

type Connected = Parameters<Pool['connect']>[0];
