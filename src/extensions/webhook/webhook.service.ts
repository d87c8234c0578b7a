import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newSecret } from '../../../libs/standard-webhooks';
import { AppConfig } from '../../platform/config';
import {
  type Caller,
  decodeCursor,
  IdempotencyService,
  type IdempotentRequest,
  outgoingUrl,
  type Page,
  type PageQuery,
  toPage,
} from '../../platform/http';
import { AuditLog } from '../../core/audit';
import { eventNames } from '../../core/news';
import { UndeliveredRepository } from './undelivered.repository';
import type {
  ChangeWebhookBody,
  CreatedWebhookDto,
  CreateWebhookBody,
  ReplayedMessagesDto,
  UndeliveredDto,
  WebhookDto,
  WebhookListDto,
} from './webhook.dto';
import { tooManyWebhooks, unknownWebhook } from './webhook.error';
import type { WebhookRow } from './webhook.entity';
import { WebhookRepository } from './webhook.repository';

/** Each webhook has a connection of its own at every worker. */
const WEBHOOKS_MAX = 20;
const REPLAYS_MAX = 1_000;

/** Workers follow within two seconds. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly undelivered: UndeliveredRepository,
    private readonly idempotency: IdempotencyService,
    private readonly audit: AuditLog,
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /**
   * The secret is not stored with the answer: a client that repeats its request receives it while
   * the webhook exists, and afterwards nothing of it is left.
   * @throws Problem `request.invalid` naming the url, tooManyWebhooks, webhookNotFound when it was
   *   deleted since
   */
  async create(request: IdempotentRequest, body: CreateWebhookBody): Promise<CreatedWebhookDto> {
    const url = outgoingUrl(body.url, this.config);
    const webhook = await this.idempotency.once(request, async (tx) => {
      if ((await this.webhooks.lockCount(tx)) >= WEBHOOKS_MAX)
        throw tooManyWebhooks(`There may be ${WEBHOOKS_MAX}; delete one first.`);
      const { description = null, events = eventNames() } = body;
      const row = await this.webhooks.insert(tx, { url, events, description, secret: newSecret() });
      const { id, ...after } = toDto(row);
      await this.audit.record(tx, request.caller, { action: 'webhook.create', id, after });
      return toDto(row);
    });
    const row = await this.webhooks.findWebhook(webhook.id);
    if (!row) throw unknownWebhook(webhook.id);
    return { ...webhook, secret: row.secret! };
  }

  async list(): Promise<WebhookListDto> {
    return { items: (await this.webhooks.list()).map(toDto) };
  }

  /**
   * Messages that were handed to its queue before are still delivered.
   * @throws webhookNotFound
   */
  async change(actor: Caller, id: string, { events, description }: ChangeWebhookBody): Promise<WebhookDto> {
    return this.dataSource.transaction(async (tx) => {
      const row = await this.webhooks.lock(tx, id);
      if (!row) throw unknownWebhook(id);
      const after = {
        events: events ?? row.events,
        description: description === undefined ? row.description : description,
      };
      const before = { events: row.events, description: row.description };
      if (JSON.stringify(after) === JSON.stringify(before)) return toDto(row);
      await this.webhooks.change(tx, id, after);
      await this.audit.record(tx, actor, { action: 'webhook.change', id, before, after });
      return { ...toDto(row), ...after };
    });
  }

  /** @throws webhookNotFound */
  async delete(actor: Caller, id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const row = await this.webhooks.findWebhook(id, tx);
      if (!row || !(await this.webhooks.markDeleted(tx, id))) throw unknownWebhook(id);
      const { id: _, ...before } = toDto(row);
      await this.audit.record(tx, actor, { action: 'webhook.delete', id, before });
    });
  }

  /** @throws webhookNotFound */
  async deadLetters(id: string, { limit, cursor }: PageQuery): Promise<Page<UndeliveredDto>> {
    if (!(await this.webhooks.findWebhook(id))) throw unknownWebhook(id);
    const rows = await this.undelivered.dead(id, decodeCursor(cursor), limit + 1);
    const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
    return {
      items: items.map(({ updatedAt, ...row }) => ({ ...row, updatedAt: updatedAt.toISOString() })),
      nextCursor,
    };
  }

  /** @throws webhookNotFound */
  replay(
    request: IdempotentRequest,
    id: string,
    ids: readonly string[] | undefined,
  ): Promise<ReplayedMessagesDto> {
    return this.idempotency.once(request, async (tx) => {
      if (!(await this.webhooks.findWebhook(id, tx))) throw unknownWebhook(id);
      const letterIds = await this.undelivered.replay(tx, id, ids, REPLAYS_MAX);
      await this.audit.record(tx, request.caller, { action: 'webhook.replay', id, detail: { letterIds } });
      return { replayed: letterIds.length };
    });
  }
}

function toDto({ id, url, events, description, createdAt }: WebhookRow): WebhookDto {
  return { id, url, events, description, createdAt: createdAt.toISOString() };
}
