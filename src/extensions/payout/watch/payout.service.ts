import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Currency } from '../../../platform/config';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  type PageQuery,
  toPage,
} from '../../../platform/http';
import { AuditLog } from '../../../core/audit';
import { ChannelRepository } from '../channel/channel.repository';
import { FindingRepository } from '../channel/finding.repository';
import { toFindingDto } from './finding.service';
import { LostCalls } from '../book/lost-calls';
import { PayoutAsks } from '../ask/payout-asks';
import {
  type AskForPayoutBody,
  type PayoutDto,
  type PayoutsQuery,
  type PayoutStoryDto,
  toPayoutDto,
} from '../book/payout.dto';
import type { PayoutRow } from '../book/payout.entity';
import { channelHeld, channelNotCalled, channelNotFound, payoutNotFound } from '../channel/payout.error';
import { PayoutRepository } from '../book/payout.repository';

const NONE: ReadonlySet<string> = new Set();

@Injectable()
export class PayoutService {
  constructor(
    private readonly asks: PayoutAsks,
    private readonly payouts: PayoutRepository,
    private readonly channels: ChannelRepository,
    private readonly findings: FindingRepository,
    private readonly lostCalls: LostCalls,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws what `AskedPayouts.begin` refuses a request with */
  ask(request: IdempotentRequest, { amount, channelId }: AskForPayoutBody): Promise<PayoutDto> {
    return this.asks.ask(request, channelId, this.currency.parse(amount));
  }

  async list({ limit, cursor, ...filter }: PayoutsQuery): Promise<Page<PayoutDto>> {
    return this.page(await this.payouts.list(filter, decodeCursor(cursor), limit + 1), limit);
  }

  /** @throws channelNotFound, also for a channel that is not the caller's own */
  async waiting(caller: Caller, channelId: string, { limit, cursor }: PageQuery): Promise<Page<PayoutDto>> {
    const isOthers = caller.role === 'channel' && caller.channelId !== channelId;
    const channel = isOthers ? null : await this.channels.findChannel(channelId);
    if (!channel) throw channelNotFound(`There is no payout channel ${channelId}.`);
    const holds = channel.isPaused || channel.url !== null || (await this.findings.isHolding(channelId));
    const rows = holds ? [] : await this.payouts.waiting(channelId, decodeCursor(cursor), limit + 1);
    const isShown = await this.noteRead(channelId, rows.slice(0, limit));
    const page = this.page(rows, limit);
    return { ...page, items: page.items.filter(({ id }) => isShown.has(id)) };
  }

  /** @throws payoutNotFound */
  async read(id: string): Promise<PayoutStoryDto> {
    const row = await this.payouts.findPayout(id);
    if (!row) throw payoutNotFound(`There is no payout ${id}.`);
    const [steps, findings] = await Promise.all([this.payouts.story(id), this.findings.about(id)]);
    return {
      ...toPayoutDto(row, this.currency),
      lastSentAt: row.lastSentAt?.toISOString() ?? null,
      findings: findings.map(toFindingDto),
      steps: steps.map(({ at, state, detail }) => ({ at: at.toISOString(), state, detail })),
    };
  }

  /**
   * Lets the channel be asked next, which it is with the usual care: what may have been sent is asked
   * for, and paid again only as the sender would have.
   * @throws payoutNotFound, payoutNotOpen, ownPayout, channelNotCalled, channelHeld
   */
  retry(request: IdempotentRequest, id: string): Promise<PayoutDto> {
    return this.idempotency.once(request, async (tx) => {
      const payout = await this.payouts.lockOpen(tx, request.caller, id);
      const channel = await this.channels.findChannel(payout.channelId, tx);
      if (!channel?.url) throw channelNotCalled('Its back end reads what waits.');
      const why = await this.channels.holdOf(tx, channel.id, payout.state !== 'reserved');
      if (why !== undefined) throw channelHeld(`Channel ${channel.id}: ${why}. Resume it, or wait.`);
      await this.payouts.makeDue(tx, id);
      await this.audit.record(tx, request.caller, { action: 'payout.retry', id });
      return toPayoutDto(payout, this.currency);
    });
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

  private page(rows: readonly PayoutRow[], limit: number): Page<PayoutDto> {
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map((row) => toPayoutDto(row, this.currency)), nextCursor };
  }
}
