import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Problem } from '../../../libs/problem';
import type { Caller } from '../../platform/http';
import { type Activity, ActivityRepository } from '../../core/activity';
import { Currencies } from '../../core/currency';
import { activityUnpayable, channelNotFound, channelPaused, UsableChannels } from '../payout';
import { RehearsalReports, type ReportRow } from '../rehearsal';
import { type ReconciliationDto, ReconciliationService } from '../../core/reconciliation';
import { type Finding, ok, stop, warn } from './finding';
import { type PreflightCheckDto, type PreflightDto, type Reason, VERDICTS } from './preflight.dto';
import { StandingChecks } from './standing-checks';

const REHEARSED_FROM_PACKETS = 1_000;

/** The reasons of a channel by the problems that its use would meet. */
const CHANNEL_REASONS = new Map<string, Reason>([
  [channelNotFound.definition.code, 'channel.missing'],
  [channelPaused.definition.code, 'channel.paused'],
  [activityUnpayable.definition.code, 'channel.unpayable'],
]);

/** Checks everything that an activity needs on its day, with what the programs already know. */
@Injectable()
export class PreflightService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly reconciliation: ReconciliationService,
    private readonly standing: StandingChecks,
    private readonly channels: UsableChannels,
    private readonly currencies: Currencies,
    private readonly rehearsals: RehearsalReports,
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
      tickets: await this.standing.tickets(activity),
      channel,
      clocks: this.standing.clocks(),
      memory: this.standing.memory(),
      workers: await this.standing.workers(),
      rehearsal: rehearsalOf(activity, await this.rehearsals.newestOf(activity)),
    };
    const checks = Object.entries(findings).flatMap(([name, finding]) =>
      finding ? [{ name: name as PreflightCheckDto['name'], ...finding }] : [],
    );
    const worst = Math.max(...checks.map(({ verdict }) => VERDICTS.indexOf(verdict)));
    return { activityId: id, verdict: VERDICTS[worst]!, checks, payout };
  }

  /** The profile may have changed since the activity was created, so its packets are compared. */
  private async channelOf(
    activity: Activity,
  ): Promise<{ channel: Finding; payout?: PreflightDto['payout'] }> {
    const { id, outletId: channelId, totalMinor } = activity;
    if (channelId === null) return { channel: ok('channel.none', 'Winnings stay in the wallets.') };
    const [packets] = await this.dataSource.query<{ least: string; most: string }[]>(
      `select min(amount_minor) as least, max(amount_minor) as most from packet where activity_id = $1`,
      [id],
    );
    const bounds = { leastMinor: BigInt(packets!.least), mostMinor: BigInt(packets!.most) };
    const currency = await this.currencies.of(activity.currency);
    const plan = { ...bounds, currency, totalMinor, agreedMinor: totalMinor };
    try {
      const payout = await this.dataSource.transaction(async (tx) => {
        await this.channels.requirePayable(tx, channelId, plan);
        return this.channels.estimate(tx, channelId, activity);
      });
      return {
        channel: ok('channel.pays', `Channel ${channelId} pays out every packet.`, channelId),
        payout,
      };
    } catch (error) {
      const code = error instanceof Problem ? CHANNEL_REASONS.get(error.code) : undefined;
      if (!code) throw error;
      return { channel: stop(code, (error as Problem).detail, channelId) };
    }
  }
}

/**
 * Nobody can rehearse any more once it is open, and nobody has to before a small one.
 * @returns undefined if there is nothing to say
 */
function rehearsalOf(
  { opensAt, readAt, packetCount }: Activity,
  report: ReportRow | undefined,
): Finding | undefined {
  const isAhead = opensAt > readAt;
  if (!report) {
    const isMissed = isAhead && packetCount >= REHEARSED_FROM_PACKETS;
    return isMissed ? warn('rehearsal.none', 'Nobody has rehearsed these terms.') : undefined;
  }
  const { activityId, reportedAt, taps, tapsPerSecond, p99Ms, brokeFirst } = report;
  const figures = [activityId, reportedAt.toISOString(), String(taps), String(tapsPerSecond), String(p99Ms)];
  const [id, at, all, rate, p99] = figures;
  const went = `Activity ${id} rehearsed these terms until ${at}: ${all} taps at ${rate} a second, p99 ${p99} ms`;
  if (brokeFirst === null) return ok('rehearsal.held', `${went}; nothing broke.`, ...figures);
  const say = isAhead ? warn : ok;
  return say('rehearsal.broke', `${went}; what broke first: ${brokeFirst}.`, ...figures, brokeFirst);
}

function booksOf({ checks, verdict, escrowBalance, currency }: ReconciliationDto): Finding {
  const held = `${escrowBalance} ${currency}`;
  if (verdict === 'balanced') return ok('books.balanced', `The books agree; the escrow holds ${held}.`, held);
  const broken = checks.filter(({ holds }) => !holds).map(({ name }) => name);
  return stop('books.broken', `Broken: ${broken.join('; ')}.`, broken.join('; '));
}

function packetsOf({ redis: { status, agrees }, packets }: ReconciliationDto): Finding {
  const total = String(packets.total);
  if (status === 'open' && agrees) return ok('packets.held', `Redis holds all ${total} packets.`, total);
  if (status === 'away') return stop('packets.away', 'Redis is away.');
  if (agrees) return warn('packets.not_open', `Redis says ${status}.`, status);
  return warn('packets.differ', `Redis says ${status}, and does not agree with Postgres.`, status);
}
