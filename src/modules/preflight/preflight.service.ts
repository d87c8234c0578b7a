import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Problem } from '../../../libs/problem';
import { OwnRedis } from '../../../libs/redis-scripts';
import type { Caller } from '../../platform/http';
import { type Activity, ActivityRepository } from '../activity';
import { ClockSkew, RedisMemory } from '../dispenser';
import { UsableChannels } from '../payout';
import { type ReconciliationDto, ReconciliationService } from '../reconciliation';
import { TicketKeyService } from '../ticket';
import { type PreflightCheckDto, type PreflightDto, VERDICTS } from './preflight.dto';
import { presenceKey } from './worker-presence';

type Finding = Omit<PreflightCheckDto, 'name'>;

const FULL_SHARE = 0.8;

const ok = (reason: string): Finding => ({ verdict: 'ok', reason });
const warn = (reason: string): Finding => ({ verdict: 'warn', reason });
const stop = (reason: string): Finding => ({ verdict: 'stop', reason });

/** Looks at everything that an activity needs on its day, with what the programs know already. */
@Injectable()
export class PreflightService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly reconciliation: ReconciliationService,
    private readonly ticketKeys: TicketKeyService,
    private readonly channels: UsableChannels,
    private readonly clocks: ClockSkew,
    private readonly memory: RedisMemory,
    private readonly own: OwnRedis,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws busy, activityArchived, activityNotFound (for neither its sponsor nor staff) */
  async check(id: string, caller: Caller): Promise<PreflightDto> {
    const activity = await this.activities.managedBy(caller, id);
    const proof = await this.reconciliation.prove(id, caller);
    const { channel, payout } = await this.channelOf(activity);
    const findings = {
      books: booksOf(proof),
      packets: packetsOf(proof),
      tickets: await this.ticketsOf(activity),
      channel,
      clocks: this.clocksNow(),
      memory: this.memoryNow(),
      workers: await this.workersNow(),
    };
    const checks = Object.entries(findings).map(([name, finding]) => ({
      ...{ name: name as PreflightCheckDto['name'], ...finding },
    }));
    const worst = Math.max(...checks.map(({ verdict }) => VERDICTS.indexOf(verdict)));
    return { activityId: id, verdict: VERDICTS[worst]!, checks, payout };
  }

  private async ticketsOf({ admission, sponsorId }: Activity): Promise<Finding> {
    if (admission !== 'ticket') return ok('Nobody needs a ticket.');
    const keys = await this.ticketKeys.count(sponsorId);
    return keys > 0
      ? ok('The sponsor has a key that signs tickets.')
      : stop('The sponsor has no key that signs tickets: nobody could win.');
  }

  /** The profile may have changed since the activity was created, so its packets are compared. */
  private async channelOf(
    activity: Activity,
  ): Promise<{ channel: Finding; payout?: PreflightDto['payout'] }> {
    const { id, payoutChannelId: channelId, totalMinor } = activity;
    if (channelId === null) return { channel: ok('What is won stays in the wallets.') };
    const [packets] = await this.dataSource.query<{ least: string; most: string }[]>(
      `select min(amount_minor) as least, max(amount_minor) as most from packet where activity_id = $1`,
      [id],
    );
    const bounds = { leastMinor: BigInt(packets!.least), mostMinor: BigInt(packets!.most) };
    const plan = { ...bounds, totalMinor, agreedMinor: totalMinor };
    try {
      const payout = await this.dataSource.transaction(async (tx) => {
        await this.channels.requirePayable(tx, channelId, plan);
        return this.channels.estimate(tx, channelId, activity);
      });
      return { channel: ok(`Channel ${channelId} pays out every packet.`), payout };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { channel: stop(error.detail) };
    }
  }

  private clocksNow(): Finding {
    const lead = this.clocks.lastLead;
    if (lead === undefined) return warn('The clocks have not been compared yet.');
    const text = `The clock of Redis is ${lead.seconds.toFixed(1)} s ahead of that of Postgres.`;
    return lead.isBeyond ? stop(text) : ok(text);
  }

  private memoryNow(): Finding {
    if (this.memory.refusesWrites) return stop('Redis refuses writes.');
    const share = this.memory.fullestShare;
    const text = `Redis uses ${Math.round(share * 100)} % of its memory.`;
    return share > FULL_SHARE ? warn(text) : ok(share === 0 ? 'Redis has no limit of memory.' : text);
  }

  private async workersNow(): Promise<Finding> {
    const seen = await this.own.redis.exists(presenceKey(this.own)).catch(() => undefined);
    if (seen === undefined) return warn('Redis cannot say whether a worker runs.');
    return seen === 1 ? ok('A worker runs.') : stop('No worker runs: nothing would be paid or closed.');
  }
}

function booksOf({ checks, verdict, escrowBalance, currency }: ReconciliationDto): Finding {
  if (verdict === 'balanced') return ok(`The books agree; the escrow holds ${escrowBalance} ${currency}.`);
  const broken = checks.filter(({ holds }) => !holds).map(({ name }) => name);
  return stop(`Broken: ${broken.join('; ')}.`);
}

function packetsOf({ redis, packets }: ReconciliationDto): Finding {
  if (redis.status === 'open' && redis.agrees) return ok(`Redis holds all ${packets.total} packets.`);
  if (redis.status === 'away') return stop('Redis is away.');
  return warn(`Redis says ${redis.status}${redis.agrees ? '' : ', and does not agree with Postgres'}.`);
}
