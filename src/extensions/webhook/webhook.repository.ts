import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Not, Raw, Repository } from 'typeorm';
import { isWithin } from '../../platform/postgres';
import { WebhookRow } from './webhook.entity';

export interface NewWebhook {
  readonly url: string;
  readonly events: string[];
  readonly description: string | null;
  readonly secret: string;
}

@Injectable()
export class WebhookRepository {
  constructor(@InjectRepository(WebhookRow) private readonly rows: Repository<WebhookRow>) {}

  /** No other transaction can add a webhook before this one ends. */
  async lockCount(tx: EntityManager): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks', 0))`);
    return tx.count(WebhookRow);
  }

  insert(tx: EntityManager, webhook: NewWebhook): Promise<WebhookRow> {
    return tx.save(WebhookRow, webhook);
  }

  /** There are never many. */
  list(): Promise<WebhookRow[]> {
    return this.rows.find({ order: { id: 'desc' } });
  }

  findWebhook(id: string, tx: EntityManager = this.rows.manager): Promise<WebhookRow | null> {
    return tx.findOneBy(WebhookRow, { id });
  }

  lock(tx: EntityManager, id: string): Promise<WebhookRow | null> {
    return tx.findOne(WebhookRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async change(
    tx: EntityManager,
    id: string,
    changed: Partial<Pick<NewWebhook, 'events' | 'description'>>,
  ): Promise<void> {
    await tx.update(WebhookRow, { id }, changed);
  }

  /** Ends all deliveries. Returns true when there was such a webhook. */
  async markDeleted(tx: EntityManager, id: string): Promise<boolean> {
    const deleted = { deletedAt: () => 'now()', secret: null };
    const { affected } = await tx.update(WebhookRow, { id, deletedAt: IsNull() }, deleted);
    return affected === 1;
  }

  /** No process serves these any more. */
  deletedFor(seconds: number): Promise<WebhookRow[]> {
    const deletedAt = Raw((column) => `not ${isWithin(column, ':seconds')}`, { seconds });
    return this.rows.find({ where: { deletedAt }, withDeleted: true });
  }

  async remove(id: string): Promise<void> {
    await this.rows.delete({ id, deletedAt: Not(IsNull()) });
  }
}
