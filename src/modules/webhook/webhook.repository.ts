import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventName } from '../notification';
import type { Webhook } from './webhook';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: EventName[];
  readonly description: string | null;
  readonly createdAt: Date;
}

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly EventName[];
  readonly description?: string;
  readonly secret: string;
}

const COLUMNS = `id, url, events, description, created_at as "createdAt"`;

@Injectable()
export class WebhookRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** How many there are, and nobody adds one before this transaction ends. */
  async lockCount(tx: EntityManager): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks', 0))`);
    const [{ count }]: [{ count: number }] = await tx.query(
      `select count(*)::int as count from webhook where deleted_at is null`,
    );
    return count;
  }

  async insert(tx: EntityManager, { url, events, description, secret }: NewWebhook): Promise<WebhookRow> {
    const [row]: [WebhookRow] = await tx.query(
      `insert into webhook (url, events, description, secret) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      [url, events, description ?? null, secret],
    );
    return row;
  }

  /** Newest first. There are never many. */
  list(): Promise<WebhookRow[]> {
    return this.dataSource.query<WebhookRow[]>(
      `select ${COLUMNS} from webhook where deleted_at is null order by id desc`,
    );
  }

  /** All that are served. */
  active(): Promise<Webhook[]> {
    return this.dataSource.query<Webhook[]>(
      `select id, url, events, secret from webhook where deleted_at is null order by id`,
    );
  }

  async findWebhook(
    id: string,
    tx: EntityManager = this.dataSource.manager,
  ): Promise<WebhookRow | undefined> {
    const rows: WebhookRow[] = await tx.query(
      `select ${COLUMNS} from webhook where id = $1 and deleted_at is null`,
      [id],
    );
    return rows[0];
  }

  async secretOf(id: string): Promise<string | undefined> {
    const [row] = await this.dataSource.query<{ secret: string }[]>(
      `select secret from webhook where id = $1 and deleted_at is null`,
      [id],
    );
    return row?.secret;
  }

  /** Nobody is served from now on; returns what it was, or undefined when there was none. */
  async markDeleted(tx: EntityManager, id: string): Promise<WebhookRow | undefined> {
    const [row]: WebhookRow[] = await tx.query(
      `with deleted as (
         update webhook set deleted_at = now(), secret = null where id = $1 and deleted_at is null returning *
       )
       select ${COLUMNS} from deleted`,
      [id],
    );
    return row;
  }

  /** Deleted for so long that no process serves them any more. */
  async deletedFor(seconds: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `select id from webhook where deleted_at < now() - make_interval(secs => $1)`,
      [seconds],
    );
    return rows.map(({ id }) => id);
  }

  async remove(id: string): Promise<void> {
    await this.dataSource.query(`delete from webhook where id = $1 and deleted_at is not null`, [id]);
  }
}
