import { Injectable } from '@nestjs/common';
import { OwnRedis } from '../../../libs/redis-scripts';
import { sharedLook } from '../../../libs/shared-look';
import { ClockSkew, RedisMemory, workerSeenSecondsAgo } from '../../core/dispenser';
import { SettlementQueue } from '../../core/wallet';
import { ClaimLogRepository } from '../claim-log';
import type { OverviewDto } from './overview.dto';

/** As often as workers measure it: the query reads an index of every partition. */
const CLAIM_LOG_KEPT_MS = 10_000;

/** What the parts of the system report about themselves. */
@Injectable()
export class SystemFigures {
  private readonly behindSeconds = sharedLook(() => this.log.behindSeconds(), CLAIM_LOG_KEPT_MS);

  constructor(
    private readonly own: OwnRedis,
    private readonly memory: RedisMemory,
    private readonly clocks: ClockSkew,
    private readonly queue: SettlementQueue,
    private readonly log: ClaimLogRepository,
  ) {}

  async standing(): Promise<NonNullable<OverviewDto['system']>> {
    const lead = this.clocks.lastLead;
    return {
      workerSeenSecondsAgo: (await workerSeenSecondsAgo(this.own)) ?? null,
      memoryShare: this.memory.fullestShare,
      takesWrites: !this.memory.refusesWrites,
      clockLeadSeconds: lead?.seconds ?? null,
      clocksAgree: !lead?.isBeyond,
    };
  }

  async queueCounts(): Promise<NonNullable<OverviewDto['queue']>> {
    const { wait = 0, active = 0, delayed = 0 } = await this.queue.counts(['wait', 'active', 'delayed']);
    return { waiting: wait, active, delayed };
  }

  async claimLog(): Promise<NonNullable<OverviewDto['claimLog']>> {
    return { behindSeconds: await this.behindSeconds() };
  }
}
