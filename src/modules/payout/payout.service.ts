import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Currency } from '../../platform/config';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  type Page,
  type PageQuery,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../audit';
import { LedgerRepository, walletFrozen } from '../wallet';
import { DAILY_MAX, OPEN_MAX, roomOf } from './allowance';
import type { ChannelProfile } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { FindingRepository } from './finding.repository';
import { toFindingDto } from './finding.service';
import { LostCalls } from './lost-calls';
import { UsableChannels } from './usable-channels';
import { PayoutChanges } from './payout-changes';
import type { AskForPayoutBody, PayoutDto, PayoutsQuery, PayoutStoryDto } from './payout.dto';
import type { PayoutRow } from './payout.entity';
import {
  aboveLargest,
  belowSmallest,
  channelNotCalled,
  channelNotFound,
  payoutLimitReached,
  payoutNotFound,
} from './payout.error';
import { type NewPayout, PayoutRepository } from './payout.repository';

const NONE: ReadonlySet<string> = new Set();

@Injectable()
export class PayoutService {
  constructor(
    private readonly payouts: PayoutRepository,
    private readonly channels: ChannelRepository,
    private readonly findings: FindingRepository,
    private readonly lostCalls: LostCalls,
    private readonly usable: UsableChannels,
    private readonly changes: PayoutChanges,
    private readonly ledger: LedgerRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * An amount that one person may not move alone stays in the wallet until a second one approves
   * it.
   *
   * @throws channelNotFound, channelPaused, belowSmallest, aboveLargest, payoutLimitReached,
   *   walletFrozen, insufficientFunds
   */
  ask(request: IdempotentRequest, { amount, channelId }: AskForPayoutBody): Promise<PayoutDto> {
    const amountMinor = this.currency.parse(amount);
    const { userId } = request.caller;
    return this.idempotency.once(request, async (tx) => {
      const channel = await this.usable.lock(tx, channelId);
      this.checkAmount(channel.profile, amountMinor);
      const walletAccountId = await this.activeWallet(tx, userId);
      const day = await this.channels.today(tx, channel.profile.timeZone);
      const wish = { channelId, userId, walletAccountId, amountMinor, day };
      await this.requireRoom(tx, wish, channel.profile);
      await this.ledger.requireFunds(tx, walletAccountId, amountMinor);
      return this.toDto(await this.begin(tx, request, channel.outboundAccountId, wish));
    });
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
      ...this.toDto(row),
      lastSentAt: row.lastSentAt?.toISOString() ?? null,
      findings: findings.map(toFindingDto),
      steps: steps.map(({ at, state, detail }) => ({ at: at.toISOString(), state, detail })),
    };
  }

  /**
   * Lets the channel be asked next, which it is with the usual care: what may have been sent is asked
   * for, and paid again only as the sender would have.
   * @throws payoutNotFound, payoutNotOpen, ownPayout, channelNotCalled
   */
  retry(request: IdempotentRequest, id: string): Promise<PayoutDto> {
    return this.idempotency.once(request, async (tx) => {
      const payout = await this.payouts.lockOpen(tx, request.caller, id);
      const channel = await this.channels.findChannel(payout.channelId, tx);
      if (!channel?.url) throw channelNotCalled('Its back end reads what waits.');
      await this.payouts.makeDue(tx, id);
      await this.audit.record(tx, request.caller, { action: 'payout.retry', id });
      return this.toDto(payout);
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

  toDto({ amountMinor, createdAt, endedAt, ...row }: PayoutRow): PayoutDto {
    const { id, state, userId, channelId, attempt, externalId, code, action } = row;
    return {
      ...{ id, state, userId, amount: this.currency.format(amountMinor), currency: this.currency.code },
      ...{ channelId, attempt, externalId, code, action },
      createdAt: createdAt.toISOString(),
      endedAt: endedAt?.toISOString() ?? null,
    };
  }

  private checkAmount({ smallest, largest, perDay }: ChannelProfile, amountMinor: bigint): void {
    if (amountMinor < this.currency.parse(smallest)) throw belowSmallest(`The least is ${smallest}.`);
    for (const limit of [largest, perDay])
      if (limit !== undefined && amountMinor > this.currency.parse(limit))
        throw aboveLargest(`The most is ${limit}.`);
  }

  private async activeWallet(tx: EntityManager, userId: string): Promise<string> {
    const walletId = await this.ledger.walletOf(tx, userId);
    const account = (await this.ledger.lock(tx, [walletId])).get(walletId);
    if (account?.status === 'frozen') throw walletFrozen(`The wallet of ${userId} is frozen.`);
    return walletId;
  }

  /** The wallet is locked, so two requests of one user cannot both find the last room. */
  private async requireRoom(
    tx: EntityManager,
    { channelId, userId, amountMinor, day }: NewPayout,
    { perUserPerDay }: ChannelProfile,
  ): Promise<void> {
    const taken = (await this.payouts.takenOut(tx, channelId, day, [userId])).get(userId)!;
    if (taken.open >= OPEN_MAX) throw payoutLimitReached(`${OPEN_MAX} payouts are on their way already.`);
    const sumMinor = taken.amountMinor + amountMinor;
    if (perUserPerDay !== undefined && sumMinor > this.currency.parse(perUserPerDay))
      throw payoutLimitReached(
        `A user may take out ${perUserPerDay}, by ${DAILY_MAX} payouts at most, within a day.`,
      );
    if (roomOf(taken) === 0) throw payoutLimitReached(`A user has ${DAILY_MAX} payouts a day at most.`);
  }

  private async begin(
    tx: EntityManager,
    request: IdempotentRequest,
    outboundAccountId: string,
    wish: NewPayout,
  ): Promise<PayoutRow> {
    const { via } = request.caller;
    const [payout] = await this.changes.begin(tx, outboundAccountId, [{ ...wish, via }]);
    const { id, channelId, amountMinor, state } = payout!;
    await this.audit.record(tx, request.caller, {
      ...{ action: 'payout.ask', id },
      detail: { channelId, amount: this.currency.format(amountMinor) },
    });
    if (state === 'review') request.accept();
    return payout!;
  }

  private page(rows: readonly PayoutRow[], limit: number): Page<PayoutDto> {
    const { items, nextCursor } = toPage(rows, limit, ({ id }) => id);
    return { items: items.map((row) => this.toDto(row)), nextCursor };
  }
}
