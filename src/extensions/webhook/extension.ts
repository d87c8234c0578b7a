import type { Extension } from '../extension';
import { notification } from '../notification/extension';
import { eventWebhooks } from './event-webhooks';
import { webhookSchema } from './schema';
import { WebhookApiModule, WebhookWorkerModule } from './webhook.module';

export const webhook: Extension = {
  needs: [notification],
  api: WebhookApiModule,
  worker: WebhookWorkerModule,
  schema: webhookSchema,
  description: { webhooks: eventWebhooks },
};
