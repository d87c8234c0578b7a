import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Currency } from '../../platform/config';
import { type Caller, IdempotencyService, type IdempotentRequest, invalidRequest } from '../../platform/http';
import { AuditLog } from '../audit';
import { LedgerRepository } from '../wallet';
import {
  type ChangeChannelBody,
  type ChannelDto,
  type ChannelListDto,
  type ChannelProfileBody,
  type CreateChannelBody,
  ZONE_RULE,
} from './channel.dto';
import type { ChannelProfile, ChannelRow } from './channel.entity';
import { ChannelRepository } from './channel.repository';
import { channelInUse, channelNotFound, tooManyChannels } from './payout.error';
import { PayoutRepository } from './payout.repository';

const CHANNELS_MAX = 20;

@Injectable()
export class ChannelService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly payouts: PayoutRepository,
    private readonly ledger: LedgerRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currency: Currency,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws Problem `request.invalid` naming a field of the profile, tooManyChannels */
  async create(request: IdempotentRequest, { name, profile }: CreateChannelBody): Promise<ChannelDto> {
    const facts = { name, profile: await this.profileOf(profile), isPaused: false };
    return this.idempotency.once(request, async (tx) => {
      if ((await this.channels.lockCount(tx)) >= CHANNELS_MAX)
        throw tooManyChannels(`There may be ${CHANNELS_MAX}; delete one first.`);
      const id = await this.channels.nextId(tx);
      const outboundAccountId = await this.ledger.outboundAccountOf(tx, id);
      const dto = toDto(await this.channels.insert(tx, { ...facts, id, outboundAccountId }));
      await this.audit.record(tx, request.caller, { action: 'payout-channel.create', id, after: facts });
      return dto;
    });
  }

  async list(): Promise<ChannelListDto> {
    return { items: (await this.channels.list()).map(toDto) };
  }

  /** @throws channelNotFound, Problem `request.invalid` naming a field of the profile */
  change(actor: Caller, id: string, body: ChangeChannelBody): Promise<ChannelDto> {
    return this.dataSource.transaction(async (tx) => {
      const row = found(id, await this.channels.lock(tx, id, 'for_no_key_update'));
      const before = { name: row.name, profile: row.profile, isPaused: row.isPaused };
      const { name = row.name, paused = row.isPaused } = body;
      const profile = body.profile ? await this.profileOf(body.profile) : row.profile;
      const after = { name, profile, isPaused: paused };
      await this.channels.update(tx, id, after);
      await this.audit.record(tx, actor, { action: 'payout-channel.change', id, before, after });
      return toDto({ ...row, ...after });
    });
  }

  /** @throws channelNotFound, channelInUse */
  delete(actor: Caller, id: string): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      const { name, profile } = found(id, await this.channels.lock(tx, id, 'pessimistic_write'));
      if (await this.payouts.hasOpen(tx, id)) throw channelInUse('End its payouts first, or pause it.');
      await this.channels.markDeleted(tx, id);
      await this.audit.record(tx, actor, { action: 'payout-channel.delete', id, before: { name, profile } });
    });
  }

  private async profileOf({ timeZone = 'UTC', ...limits }: ChannelProfileBody): Promise<ChannelProfile> {
    const { smallest, largest, perUserPerDay } = limits;
    const isBelow = (limit?: string) =>
      limit !== undefined && this.currency.parse(limit) < this.currency.parse(smallest);
    const fields = Object.entries({ largest, perUserPerDay })
      .filter(([, limit]) => isBelow(limit))
      .map(([field]) => ({ field: `profile.${field}`, message: 'must be at least the smallest' }));
    if (!(await this.channels.knowsTimeZone(timeZone)))
      fields.push({ field: 'profile.timeZone', message: ZONE_RULE });
    if (fields.length > 0) throw invalidRequest('The request is not valid.', { fields });
    return { ...limits, timeZone };
  }
}

function found(id: string, row: ChannelRow | null): ChannelRow {
  if (!row) throw channelNotFound(`There is no payout channel ${id}.`);
  return row;
}

function toDto({ id, name, profile, isPaused, createdAt }: ChannelRow): ChannelDto {
  const { smallest, largest = null, perUserPerDay = null, timeZone } = profile;
  return {
    ...{ id, name, profile: { smallest, largest, perUserPerDay, timeZone } },
    paused: isPaused,
    createdAt: createdAt.toISOString(),
  };
}
