export { WebhookDirectory } from './webhook-directory';
export { WebhookQueues } from './webhook-queues';
export { eventWebhooks } from './event-webhooks';
export { webhookSchema } from './schema';
export { WebhookApiModule, WebhookWorkerModule } from './webhook.module';
