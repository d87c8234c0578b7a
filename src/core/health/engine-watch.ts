import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { within } from '../../../libs/deadline';
import { Servers } from '../../../libs/redis-scripts';
import { Repeats } from '../../platform/schedule';
import { Metrics } from '../../platform/telemetry';

const LOOK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 1_000;

const ENGINES = ['postgres', 'redis'] as const;

/** Measures whether the engines answer this process, for alarms. */
@Injectable()
export class EngineWatch {
  private readonly up;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly servers: Servers,
    metrics: Metrics,
  ) {
    this.up = metrics.observations({
      name: 'hongbao_engine_up',
      help: '1 while the engine answers this process within a second, 0 while it does not',
      label: 'engine',
      values: ENGINES,
    });
  }

  @Repeats('EngineWatch', LOOK_EVERY_MS)
  async askEngines(): Promise<void> {
    const [postgres, redis] = await Promise.all([
      answers(() => this.dataSource.query('select 1')),
      answers(() => this.servers.expectAll()),
    ]);
    this.up.postgres.set(postgres);
    this.up.redis.set(redis);
  }
}

async function answers(ask: () => Promise<unknown>): Promise<0 | 1> {
  return within(ANSWER_WITHIN_MS, ask()).then(
    () => 1,
    () => 0,
  );
}
