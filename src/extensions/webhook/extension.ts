import type { Extension } from '../extension';
import { notification } from '../notification/extension';
import { eventWebhooks } from './event-webhooks';
import { WebhookDirectory } from './webhook-directory';
import { WebhookQueues } from './webhook-queues';
import { WebhookApiModule, WebhookWorkerModule } from './webhook.module';

export const webhook: Extension = {
  needs: [notification],
  api: WebhookApiModule,
  worker: WebhookWorkerModule,
  schema: {
    grants: {
      webhook: 'select, insert, delete, update (deleted_at, secret, events, description)',
      undelivered_message:
        'select, insert, delete, update (status, attempts, last_error, offered_at, updated_at, tries)',
    },
    people: { undelivered_message: ['body (json)'] },
  },
  queues: (api) => {
    const ids = api.get(WebhookDirectory, { strict: false }).all.map(({ id }) => id);
    return api.get(WebhookQueues, { strict: false }).queuesOf(ids);
  },
  description: { webhooks: eventWebhooks },
};
