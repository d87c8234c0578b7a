export { eventWebhooks } from './event-webhooks';
export { webhookSchema } from './schema';
export { WebhookApiModule, WebhookWorkerModule } from './webhook.module';
