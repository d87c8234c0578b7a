import { Injectable } from '@nestjs/common';
import { OwnRedis } from '../../../libs/redis-scripts';
import type { Activity } from '../../core/activity';
import { ClockSkew, RedisMemory, workerSeenSecondsAgo } from '../../core/dispenser';
import { AdmissionRules } from '../../core/grab';
import { type Finding, ok, stop, warn } from './finding';

const FULL_SHARE = 0.8;
const WORKER_UNSEEN_SECONDS_MAX = 5;

type Admitting = Pick<Activity, 'admission' | 'sponsorId'>;

/** The checks that can be made before there is an activity. */
@Injectable()
export class StandingChecks {
  constructor(
    private readonly admissions: AdmissionRules,
    private readonly clockSkew: ClockSkew,
    private readonly redisMemory: RedisMemory,
    private readonly own: OwnRedis,
  ) {}

  /** Returns the first finding for which an activity with these terms should not be created now. */
  async findStop(terms: Admitting): Promise<Finding | undefined> {
    const findings = [await this.tickets(terms), this.clocks(), this.memory(), await this.workers()];
    return findings.find(({ verdict }) => verdict === 'stop');
  }

  async tickets({ admission, sponsorId }: Admitting): Promise<Finding> {
    if (admission !== 'ticket') return ok('tickets.not_needed', 'Nobody needs a ticket.');
    return (await this.admissions.findRule(admission)?.mayAdmitAnyone({ sponsorId }))
      ? ok('tickets.has_key', 'The sponsor has a key that signs tickets.')
      : stop('tickets.no_key', 'The sponsor has no key that signs tickets: nobody could win.');
  }

  clocks(): Finding {
    const lead = this.clockSkew.lastLead;
    if (lead === undefined) return warn('clocks.not_compared', 'The clocks have not been compared yet.');
    // Hundredths behind would be "-0.0".
    const seconds = lead.seconds.toFixed(1).replace('-0.0', '0.0');
    const say = lead.isBeyond ? stop : ok;
    return say('clocks.lead', `The clock of Redis is ${seconds} s ahead of that of Postgres.`, seconds);
  }

  memory(): Finding {
    if (this.redisMemory.refusesWrites) return stop('memory.refused', 'Redis refuses writes.');
    const share = this.redisMemory.fullestShare;
    if (share === 0) return ok('memory.unlimited', 'Redis has no memory limit.');
    const percent = String(Math.round(share * 100));
    const say = share > FULL_SHARE ? warn : ok;
    return say('memory.share', `Redis uses ${percent} % of its memory.`, percent);
  }

  async workers(): Promise<Finding> {
    const seconds = await workerSeenSecondsAgo(this.own).catch(() => NaN);
    if (Number.isNaN(seconds))
      return warn('workers.unknown', 'Whether a worker is running could not be read from Redis.');
    if (seconds !== undefined && seconds < WORKER_UNSEEN_SECONDS_MAX)
      return ok('workers.running', 'A worker is running.');
    return stop('workers.none', 'No worker is running: nothing would be paid or closed.');
  }
}
