import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currencies } from '../../../core/currency';
import { type Caller, decodeCursor, type Page, type PageQuery } from '../../../platform/http';
import { LostCalls } from '../book/lost-calls';
import type { OutcomeBody, OutcomeResultDto } from '../book/outcome.dto';
import { type PayoutDto, toPayoutPage } from '../book/payout.dto';
import type { PayoutRow } from '../book/payout.entity';
import { PayoutOutcomes } from '../book/payout-outcomes';
import { PayoutRepository } from '../book/payout.repository';
import { channelNotFound } from '../channel/channel.error';
import { ChannelRepository } from '../channel/channel.repository';
import { FindingRepository } from '../channel/finding.repository';
import type { OutcomeResultsDto } from './reading.dto';

const NONE: ReadonlySet<string> = new Set();

/** Serves channels that are not called: they read what waits for them. All channels may report outcomes. */
@Injectable()
export class ReadingService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly outcomes: PayoutOutcomes,
    private readonly channels: ChannelRepository,
    private readonly findings: FindingRepository,
    private readonly lostCalls: LostCalls,
    private readonly currencies: Currencies,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws channelNotFound, even if the channel exists but is not the caller's own */
  async waiting(caller: Caller, channelId: string, { limit, cursor }: PageQuery): Promise<Page<PayoutDto>> {
    const isOthers = caller.role === 'channel' && caller.channelId !== channelId;
    const channel = isOthers ? null : await this.channels.findChannel(channelId);
    if (!channel) throw channelNotFound(`There is no payout channel ${channelId}.`);
    const holds = channel.isPaused || channel.url !== null || (await this.findings.isHolding(channelId));
    const rows = holds ? [] : await this.payouts.waiting(channelId, decodeCursor(cursor), limit + 1);
    const isShown = await this.noteRead(channelId, rows.slice(0, limit));
    const page = await toPayoutPage(rows, limit, this.currencies);
    return { ...page, items: page.items.filter(({ id }) => isShown.has(id)) };
  }

  /**
   * Applies each outcome in a transaction of its own. A repeated report changes nothing; one that contradicts
   * the state of its payout becomes a finding. A channel does not see payouts of others.
   */
  async report(reporter: Caller, outcomes: readonly OutcomeBody[]): Promise<OutcomeResultsDto> {
    const results: OutcomeResultDto[] = [];
    for (const outcome of outcomes)
      results.push(await this.dataSource.transaction((tx) => this.apply(tx, reporter, outcome)));
    return { results };
  }

  /** Returns those that may be read: none if Postgres has lost what a channel knows. */
  private async noteRead(channelId: string, rows: readonly PayoutRow[]): Promise<ReadonlySet<string>> {
    if (rows.length === 0) return NONE;
    const ids = rows.map(({ id }) => id);
    const isNew = rows.some(({ calls }) => calls === 0);
    const shown = await this.dataSource.transaction(async (tx) =>
      isNew && (await this.lostCalls.find(tx, channelId)) ? [] : this.payouts.noteRead(tx, ids),
    );
    const first = shown.find(({ isFirst }) => isFirst);
    if (first && !(await this.lostCalls.note({ ...first, channelId, no: 1 }))) return NONE;
    return new Set(shown.map(({ id }) => id));
  }

  /** While a payment is being asked for, money that it may take is not given back. */
  private async apply(tx: EntityManager, reporter: Caller, report: OutcomeBody): Promise<OutcomeResultDto> {
    const { id } = report;
    const payout = await this.payouts.lock(tx, id);
    if (!payout || payout.channelId !== reporter.channelId || !(await this.isKnown(tx, payout)))
      return { id, result: 'not-found', state: null };
    return this.outcomes.report(tx, payout, report, { reportedBy: reporter.userId });
  }

  /** A channel that has never heard of a payout may know its id from one that was lost. */
  private async isKnown(tx: EntityManager, payout: PayoutRow): Promise<boolean> {
    const { channelId, state, calls, attempt, endedAt } = payout;
    if (state === 'review') return false;
    if (calls > 0 || endedAt !== null) return true;
    return attempt === 1 && !(await this.lostCalls.find(tx, channelId));
  }
}
