import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Repeats } from '../../platform/schedule';
import type { Webhook } from './webhook';
import { WebhookRepository } from './webhook.repository';

/** The longest time until a process knows a new webhook, or no longer serves a deleted one. */
const REFRESH_MS = 1_000;

/** Notifications read this copy of the webhooks, not Postgres. */
@Injectable()
export class WebhookDirectory implements OnModuleInit {
  private webhooks: ReadonlyMap<string, Webhook> = new Map();

  constructor(private readonly repository: WebhookRepository) {}

  /** A new process leaves no webhook out of its first push. */
  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  get all(): readonly Webhook[] {
    return [...this.webhooks.values()];
  }

  activeWebhook(id: string): Webhook | undefined {
    return this.webhooks.get(id);
  }

  wantsAny(events: readonly string[]): boolean {
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
