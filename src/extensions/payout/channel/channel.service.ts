import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type FieldFault, must } from '../../../../libs/problem';
import { isStaff } from '../../../../libs/roles';
import { newSecret } from '../../../../libs/standard-webhooks';
import { AppConfig } from '../../../platform/config';
import {
  type Caller,
  IdempotencyService,
  type IdempotentRequest,
  invalidRequest,
  invalidUrl,
  outgoingUrl,
} from '../../../platform/http';
import { knowsTimeZone } from '../../../platform/postgres';
import { AuditLog } from '../../../core/audit';
import { Currencies, type KnownCurrency } from '../../../core/currency';
import { LedgerRepository } from '../../../core/wallet';
import {
  type ChangeChannelBody,
  type ChangedChannelDto,
  type ChangeProfileBody,
  type ChannelDto,
  type ChannelListDto,
  type ChannelProfileBody,
  type ChannelSecretDto,
  type CreateChannelBody,
  type CreatedChannelDto,
} from './channel.dto';
import type { ChannelProfile, ChannelRow } from './channel.entity';
import { paceOf } from './channel-pace';
import { ChannelRepository } from './channel.repository';
import { channelInUse, channelNotCalled, channelNotFound, tooManyChannels } from './channel.error';

const CHANNELS_MAX = 20;

/** The back end of a channel has a day to learn its new secret. */
const FORMER_SECRET_SECONDS = 86_400;

const LONGER = must.beAbove('profile.quarantineSeconds', 'must be above `quarantineSeconds`');

@Injectable()
export class ChannelService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly ledger: LedgerRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly currencies: Currencies,
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * The secret is not stored with the answer: a client that repeats its request receives the current one.
   * @throws Problem `request.invalid` naming the url, the currency or a field of the profile, tooManyChannels
   */
  async create(request: IdempotentRequest, body: CreateChannelBody): Promise<CreatedChannelDto> {
    const url = body.url === undefined ? null : baseUrl(body.url, this.config);
    const currency = await this.currencies.namedByHand(body);
    const profile = await this.profileOf(body.profile, currency);
    const facts = { name: body.name, profile, isPaused: false, url };
    const channel = await this.idempotency.once(request, async (tx) => {
      if ((await this.channels.lockCount(tx)) >= CHANNELS_MAX)
        throw tooManyChannels(`There may be ${CHANNELS_MAX}; delete one first.`);
      const id = await this.channels.nextId(tx);
      const outboundAccountId = await this.ledger.outboundAccountOf(tx, id, currency);
      const secret = url === null ? null : newSecret();
      const dto = await this.toDto(
        await this.channels.insert(tx, { ...facts, id, secret, outboundAccountId }),
      );
      await this.audit.record(tx, request.caller, {
        action: 'payout-channel.create',
        id,
        after: { ...facts, currency: body.currency },
      });
      return dto;
    });
    if (channel.url === null) return channel;
    return { ...channel, secret: found(channel.id, await this.channels.findChannel(channel.id)).secret! };
  }

  /**
   * @throws channelNotFound, channelNotCalled
   */
  async rotateSecret(request: IdempotentRequest, id: string): Promise<ChannelSecretDto> {
    await this.idempotency.once(request, async (tx) => {
      const row = found(id, await this.channels.lock(tx, id, 'for_no_key_update'));
      if (row.url === null) throw channelNotCalled('Its back end reads the waiting payouts, with a token.');
      await this.channels.rotate(tx, id, newSecret(), FORMER_SECRET_SECONDS);
      await this.audit.record(tx, request.caller, { action: 'payout-channel.rotate-secret', id });
      return {};
    });
    const { secret, formerSecretUntil } = found(id, await this.channels.findChannel(id));
    return { secret: secret!, formerUntil: formerSecretUntil!.toISOString() };
  }

  async list({ role }: Caller): Promise<ChannelListDto> {
    const rows = await this.channels.list();
    const shown = rows.map((row) => (isStaff(role) ? row : { ...row, url: null }));
    return { items: await Promise.all(shown.map((row) => this.toDto(row))) };
  }

  /** @throws channelNotFound, channelInUse, Problem `request.invalid` naming a field of the profile */
  change(actor: Caller, id: string, body: ChangeChannelBody): Promise<ChangedChannelDto> {
    return this.dataSource.transaction(async (tx) => {
      const row = found(id, await this.channels.lock(tx, id, 'for_no_key_update'));
      if (body.url !== undefined && row.url === null)
        throw invalidUrl(must.beLeftOut('is only of channels that have one'));
      const before = { name: row.name, profile: row.profile, isPaused: row.isPaused, url: row.url };
      const { name = row.name, paused = row.isPaused } = body;
      const profile = body.profile ? await this.changedProfile(row, body) : row.profile;
      const url = body.url === undefined ? row.url : baseUrl(body.url, this.config);
      const { sameBooks = false } = body;
      if (url !== row.url && !sameBooks && (await this.channels.hasSent(tx, id)))
        throw channelInUse('Payouts that were sent to the former URL have not ended; see `sameBooks`.');
      const after = { name, profile, isPaused: paused, url };
      await this.channels.update(tx, id, after);
      if (body.paused === false) await this.channels.resume(tx, id);
      await this.audit.record(tx, actor, {
        action: 'payout-channel.change',
        id,
        before,
        after,
        detail: { sameBooks, currency: body.profile && (await this.currencyNamed(row)) },
      });
      const heldBecause = await this.channels.holdOf(tx, id, false);
      return { ...(await this.toDto({ ...row, ...after })), heldBecause };
    });
  }

  /** @throws channelNotFound, channelInUse */
  delete(actor: Caller, id: string): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      const row = found(id, await this.channels.lock(tx, id, 'pessimistic_write'));
      if (await this.channels.isInUse(tx, id))
        throw channelInUse('End its payouts and activities first, or pause it.');
      await this.channels.markDeleted(tx, id);
      const { name, profile } = row;
      await this.audit.record(tx, actor, {
        action: 'payout-channel.delete',
        id,
        before: { name, profile },
        detail: { currency: await this.currencyNamed(row) },
      });
    });
  }

  /** The request names the currency of the amounts that it changes. */
  private async changedProfile(row: ChannelRow, body: ChangeChannelBody): Promise<ChannelProfile> {
    const currency = await this.currencyOf(row);
    this.currencies.requireNamed(body, currency, 'channel');
    return this.profileOf(changed(row.profile, body.profile!), currency);
  }

  private async toDto(row: ChannelRow): Promise<ChannelDto> {
    return dtoOf(row, await this.currencyNamed(row));
  }

  /** The code; undefined if it is the default. */
  private async currencyNamed(row: ChannelRow): Promise<string | undefined> {
    return this.currencies.unlessDefault(await this.currencyOf(row));
  }

  private currencyOf({ outboundAccountId }: ChannelRow): Promise<KnownCurrency> {
    return this.currencies.ofAccount(outboundAccountId);
  }

  private async profileOf(
    { timeZone = 'UTC', ...limits }: ChannelProfileBody,
    currency: KnownCurrency,
  ): Promise<ChannelProfile> {
    const { smallest, largest, perUserPerDay, perDay } = limits;
    const isBelow = (limit?: string) =>
      limit !== undefined && currency.parse(limit) < currency.parse(smallest);
    const notBelow = must.beAtLeast(
      currency.format(currency.parse(smallest)),
      'must be at least the smallest',
      'profile.smallest',
    );
    const fields: FieldFault[] = Object.entries({ largest, perUserPerDay, perDay })
      .filter(([, limit]) => isBelow(limit))
      .map(([field]) => ({ field: `profile.${field}`, ...notBelow }));
    const { quarantineSeconds, keyLifetimeSeconds } = paceOf(limits);
    if (keyLifetimeSeconds <= quarantineSeconds)
      fields.push({ field: 'profile.keyLifetimeSeconds', ...LONGER });
    if (!(await knowsTimeZone(this.dataSource, timeZone)))
      fields.push({ field: 'profile.timeZone', ...must.beA('time-zone') });
    if (fields.length > 0) throw invalidRequest('The request is not valid.', { fields });
    return { ...limits, timeZone };
  }
}

/** Returns the profile with the changes applied; null removes a field. */
function changed(profile: ChannelProfile, changes: ChangeProfileBody): ChannelProfileBody {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...profile, ...Object.fromEntries(given) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null)) as unknown as ChannelProfileBody;
}

/** Paths are appended to it. @throws Problem `request.invalid` naming the url */
function baseUrl(text: string, config: AppConfig): string {
  const url = outgoingUrl(text, config);
  if (/[?#]/.test(url)) throw invalidUrl(must.beA('url-without-query'));
  return url;
}

function found(id: string, row: ChannelRow | null): ChannelRow {
  if (!row) throw channelNotFound(`There is no payout channel ${id}.`);
  return row;
}

function dtoOf(
  { id, name, url, profile, isPaused, createdAt }: ChannelRow,
  currency: string | undefined,
): ChannelDto {
  const {
    smallest,
    largest = null,
    perUserPerDay = null,
    perDay = null,
    gatherSeconds = 0,
    timeZone,
  } = profile;
  return {
    id,
    name,
    url,
    currency,
    profile: { smallest, largest, perUserPerDay, perDay, ...paceOf(profile), gatherSeconds, timeZone },
    paused: isPaused,
    createdAt: createdAt.toISOString(),
  };
}
