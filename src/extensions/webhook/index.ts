export { UndeliveredRepository } from './undelivered.repository';
export { WebhookModule } from './webhook.module';
