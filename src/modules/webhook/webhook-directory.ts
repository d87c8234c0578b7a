import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import type { EventName } from '../notification';
import type { Webhook } from './webhook';
import { WebhookRepository } from './webhook.repository';

/** The longest time until a process knows a new webhook, or no longer serves a deleted one. */
const REFRESH_MS = 1_000;

/** A copy of the webhooks in this process, so that notifications need no query to Postgres. */
@Injectable()
export class WebhookDirectory implements OnModuleInit {
  private webhooks: ReadonlyMap<string, Webhook> = new Map();

  constructor(private readonly repository: WebhookRepository) {}

  /** Loads the webhooks before the first push, so that a new process leaves no webhook out. */
  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  get all(): readonly Webhook[] {
    return [...this.webhooks.values()];
  }

  activeWebhook(id: string): Webhook | undefined {
    return this.webhooks.get(id);
  }

  wantsAny(events: readonly EventName[]): boolean {
    return this.all.some((webhook) => webhook.events.some((event) => events.includes(event)));
  }

  @Repeats('WebhookDirectory', REFRESH_MS)
  async refresh(): Promise<void> {
    const rows = await this.repository.list();
    this.webhooks = new Map(
      rows.map(({ id, url, events, secret }) => [id, { id, url, events, secret: secret! }]),
    );
  }
}
